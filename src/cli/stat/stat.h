/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a measurement, shared by the source files of tally stat. */
#ifndef TALLY_CLI_STAT_STAT_H
#define TALLY_CLI_STAT_STAT_H

#include "base/arena.h"
#include "cli/main/region_files.h"
#include "cli/main/via.h"
#include "cli/stat/stat_config.h"
#include "cli/stat/set.h"
#include "sampler/child.h"
#include "sampler/sampler_control.h"

struct stat_session {
	const struct stat_config *config;
	char **argv; /* command, or NULL */
	char *title;
	struct tally_events *events;
	TALLY_VEC(struct tally_event_list *) lists; /* one list per -e */
	TALLY_VEC(struct tally_metric_list *) metric_lists;
	TALLY_VEC(struct stat_formula) formulas;
	TALLY_VEC(struct stat_row) rows;
	TALLY_VEC(struct stat_set) sets;
	struct tally_arena strings; /* owns dynamically created names */
	bool has_groups;            /* some events are read as groups */
	struct tally_cpus *cpus;
	struct tally_threads *threads;
	bool system_wide;            /* use CPU events instead of task events */
	bool by_command, counting;   /* count only the command; counters are enabled */
	bool unfreeze, told_removed; /* restore the setting of smi.h; removed.h has warned */

	TALLY_VEC(struct stat_key) keys;
	TALLY_VEC(size_t) key_of_cpu;       /* each CPU's key, indexed by CPU number */
	TALLY_VEC(struct stat_last) last;   /* indexed by row */
	struct stat_cell *cells;            /* cells to print, indexed by row * nr_keys + key */
	struct stat_cell *parts;            /* same, before merging rows */
	struct stat_spread *spreads;        /* same, over several runs */
	struct stat_prometheus *prometheus; /* with --prometheus, or NULL */
	TALLY_VEC(uint64_t) walls;          /* elapsed time of each run, in ns */

	stat_count_fn *on_count;              /* called for each count that was read, or NULL */
	struct stat_recorder *recorder;       /* with 'stat record', or NULL */
	const struct tally_perfdata_env *env; /* machine of the recording, with 'stat report' */

	struct tally_via via;
	struct tally_child child;
	struct tally_control control;
	int signals;         /* signalfd, or -1 */
	bool ended_child;    /* SIGTERM was sent to the command to stop it */
	int stop_signal;     /* the signal that ended the measurement, or 0 */
	uint64_t started;    /* ns, CLOCK_MONOTONIC */
	uint64_t last_print; /* end of the last interval, ns since the start */
	uint64_t intervals;  /* number of intervals printed */
	struct stat_times times;
	struct region_files regions; /* of --regions */
	int output;                  /* descriptor, or -1 */
	struct stat_printer printer;
};

#endif
