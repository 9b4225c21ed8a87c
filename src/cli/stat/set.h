/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of events that are opened together, and their readings. */
#ifndef TALLY_CLI_STAT_SET_H
#define TALLY_CLI_STAT_SET_H

#include "base/vec.h"
#include "tally/client.h"
#include "tally/events.h"

/* Events that are opened together: those of one cgroup, in the order of rows. */
struct stat_set {
	struct tally_event_list list; /* specs are copies owned by the set, their strings are not */
	struct tally_counters *counters;
	const char *cgroup;
	int cgroup_fd;           /* -1: none */
	size_t *rows;            /* [event]: index of its row */
	struct tally_count *now; /* [event]: buffer for reading a group */
};

/* The last reading of one event's counters. */
struct stat_last {
	struct tally_count *counts; /* [cpu * threads + thread] */
	size_t nr;
};

/* A cell over several runs. */
struct stat_spread {
	struct tally_count total;
	uint64_t value; /* sum */
	double mean, m2;
	uint64_t nr;
	uint32_t counters;
};

#endif
