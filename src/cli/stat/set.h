/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of events that are opened together, and their counts. */
#ifndef TALLY_CLI_STAT_SET_H
#define TALLY_CLI_STAT_SET_H

#include "base/vec.h"
#include "tally/client.h"
#include "tally/events.h"

/* A cgroup's events, in row order. They are opened together. */
struct stat_set {
	struct tally_event_list list; /* owns copies of the specs, but not their strings */
	struct tally_counters *counters;
	const char *cgroup;
	int cgroup_fd;           /* or -1 */
	size_t *rows;            /* row of each event */
	struct tally_count *now; /* buffer for reading a group, indexed by event */
};

struct stat_session;
struct stat_recorder;
struct tally_perfdata_env;

/* Receives a count that was read: set->now[event]. `cpu` is an index into the event's CPUs. */
typedef void stat_count_fn(struct stat_session *session, const struct stat_set *set, size_t event,
			   size_t cpu, size_t thread);

/* The last values read from an event's counters. */
struct stat_last {
	struct tally_count *counts; /* indexed by cpu * threads + thread */
	size_t nr;
};

/* Statistics for a cell over several runs. */
struct stat_spread {
	struct tally_count total;
	uint64_t value; /* sum over all runs */
	double mean, m2;
	uint64_t nr;
	uint32_t counters;
};

#endif
