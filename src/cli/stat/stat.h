/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tally stat share: one measurement. */
#ifndef TALLY_CLI_STAT_STAT_H
#define TALLY_CLI_STAT_STAT_H

#include "base/arena.h"
#include "cli/main/via.h"
#include "cli/stat/config.h"
#include "cli/stat/set.h"
#include "sampler/child.h"
#include "sampler/control.h"

struct stat_session {
	const struct stat_config *config;
	char **argv; /* the command; NULL: none */
	char *title;
	struct tally_events *events;
	TALLY_VEC(struct tally_event_list *) lists; /* one for each -e */
	TALLY_VEC(struct tally_metric_list *) metric_lists;
	TALLY_VEC(struct stat_formula) formulas;
	TALLY_VEC(struct stat_row) rows;
	TALLY_VEC(struct stat_set) sets;
	struct tally_arena strings; /* names made here */
	bool has_groups;            /* some events are to be read together */
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	bool system_wide;  /* counts CPUs, not tasks */
	bool by_command;   /* counts the command and nothing else */
	bool counting;     /* enabled */
	bool told_removed; /* see removed.h */

	TALLY_VEC(struct stat_key) keys;
	TALLY_VEC(size_t) key_of_cpu;     /* [CPU number]: index of its key */
	TALLY_VEC(struct stat_last) last; /* [row] */
	struct stat_cell *cells;          /* [row * nr_keys + key], of what is printed next */
	struct stat_cell *parts;          /* the same, before rows are merged */
	struct stat_spread *spreads;      /* the same, over the runs */
	TALLY_VEC(uint64_t) walls;        /* ns of each run */

	struct tally_via via;
	struct tally_child child;
	struct tally_control control;
	int signals;         /* signalfd; -1 none */
	bool ended_child;    /* it was told to end when the time was up */
	int stop_signal;     /* the one that ended the measurement; 0 none */
	uint64_t started;    /* ns, CLOCK_MONOTONIC */
	uint64_t last_print; /* ns after the start: the last interval's end */
	uint64_t intervals;  /* printed */
	struct stat_times times;

	int output; /* descriptor; -1: none */
	struct stat_printer printer;
};

#endif
