/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions shared by the files of tally stat: the state of a measurement. */
#ifndef TALLY_CLI_STAT_STAT_H
#define TALLY_CLI_STAT_STAT_H

#include "base/arena.h"
#include "cli/main/via.h"
#include "cli/stat/stat_config.h"
#include "cli/stat/set.h"
#include "sampler/child.h"
#include "sampler/sampler_control.h"

struct stat_session {
	const struct stat_config *config;
	char **argv; /* command; NULL: none */
	char *title;
	struct tally_events *events;
	TALLY_VEC(struct tally_event_list *) lists; /* one for each -e */
	TALLY_VEC(struct tally_metric_list *) metric_lists;
	TALLY_VEC(struct stat_formula) formulas;
	TALLY_VEC(struct stat_row) rows;
	TALLY_VEC(struct stat_set) sets;
	struct tally_arena strings; /* owns names made here */
	bool has_groups;            /* some events are read as groups */
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	bool system_wide;  /* counts CPUs instead of tasks */
	bool by_command;   /* counts only the command */
	bool counting;     /* enabled */
	bool told_removed; /* the warning of removed.h was printed */

	TALLY_VEC(struct stat_key) keys;
	TALLY_VEC(size_t) key_of_cpu;     /* [CPU number]: index of its key */
	TALLY_VEC(struct stat_last) last; /* [row] */
	struct stat_cell *cells;          /* [row * nr_keys + key], to be printed next */
	struct stat_cell *parts;          /* the same, before merging rows */
	struct stat_spread *spreads;      /* the same, over several runs */
	TALLY_VEC(uint64_t) walls;        /* ns of each run */

	struct tally_via via;
	struct tally_child child;
	struct tally_control control;
	int signals;         /* signalfd; -1 none */
	bool ended_child;    /* the command was sent SIGTERM at the end of the time */
	int stop_signal;     /* the signal that ended the measurement, or 0 */
	uint64_t started;    /* ns, CLOCK_MONOTONIC */
	uint64_t last_print; /* end of the last interval, ns since the start */
	uint64_t intervals;  /* number printed */
	struct stat_times times;

	int output; /* descriptor; -1: none */
	struct stat_printer printer;
};

#endif
