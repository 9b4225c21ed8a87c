/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tally stat share: the command line, and one measurement. */
#ifndef TALLY_CLI_STAT_STAT_H
#define TALLY_CLI_STAT_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/vec.h"
#include "sampler/child.h"
#include "cli/main/command.h"
#include "sampler/control.h"
#include "sampler/event_source.h"
#include "cli/stat/table.h"
#include "sampler/target.h"
#include "tally/client.h"
#include "tally/events.h"

/* An option that speaks of the -e before it: -G, --filter. */
struct stat_attached {
	size_t nr_events; /* how many -e stood before */
	const char *text;
};

struct stat_attached_list {
	TALLY_VEC(struct stat_attached) items;
};

/* The command line. */
struct stat_config {
	struct tally_option_list events, metrics;
	struct tally_event_source source;
	struct stat_attached_list cgroups, filters;
	const char *each_cgroup;
	struct tally_target target;
	const char *output, *separator, *repeat, *delay, *control, *pre, *post;
	uint64_t interval_ms, interval_count, timeout_ms, topdown_level;
	int detail, verbose, log_fd;
	bool aggr[STAT_NR_AGGR];
	bool all_user, all_kernel, null_run, no_inherit, no_scale, no_big_num, big_num;
	bool append, perf_json, json, summary, no_csv_summary, quiet, table, sync;
	bool topdown, metric_only, metric_no_group, metric_no_merge, dry_run, plan;
	bool log_fd_given, interval_count_given, timeout_given;
	/* Worked out from the texts by stat_config_check(). */
	enum stat_aggr mode;
	uint64_t runs;    /* 0: for ever */
	int64_t delay_ms; /* -1: until told by --control */
};

/* Events that are opened together: those of one cgroup, in the order of the rows. */
struct stat_set {
	struct tally_event_list list; /* specs are copies made here, their strings are not */
	struct tally_counters *counters;
	const char *cgroup;
	int cgroup_fd;           /* -1: none */
	size_t *rows;            /* [event]: index of its row */
	struct tally_count *now; /* [event]: room for reading a group */
};

/* What was counted in one counter when it was last read. */
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
	bool system_wide; /* counts CPUs, not tasks */
	bool by_command;  /* counts the command and nothing else */
	bool counting;    /* enabled */

	TALLY_VEC(struct stat_key) keys;
	TALLY_VEC(size_t) key_of_cpu;     /* [CPU number]: index of its key */
	TALLY_VEC(struct stat_last) last; /* [row] */
	struct stat_cell *cells;          /* [row * nr_keys + key], of what is printed next */
	struct stat_cell *parts;          /* the same, before rows are merged */
	struct stat_spread *spreads;      /* the same, over the runs */
	TALLY_VEC(uint64_t) walls;        /* ns of each run */

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

/* ---- stat_options.c ------------------------------------------------------- */

extern const struct tally_option stat_options[];

/* Combinations and texts. 0, or -EINVAL after having said what is wrong. `argv` NULL: no
 * command. */
int stat_config_check(struct stat_config *config, char **argv);
void stat_config_free(struct stat_config *config);

/* ---- stat_events.c: rows and sets ----------------------------------------- */

void stat_set_free(struct stat_set *set);

/* Parse the events. 0, or -errno after having said what is wrong. */
int stat_events_parse(struct stat_session *session);

/* ---- stat_dry.c ----------------------------------------------------------- */

/* Print what would be opened. 0 or -errno after having said why. */
int stat_dry_run(struct stat_session *session);

/* ---- stat_plan.c ---------------------------------------------------------- */

/* Print how the events would share the counters. 0 or -errno after having said why. */
int stat_plan(struct stat_session *session);

/* ---- stat_cgroup.c -------------------------------------------------------- */

/* Open the directory of a cgroup by its path below the mount of cgroup v2 or of the perf_event
 * controller, or by a full path. 0, -ENOENT, or the error of open(2). */
int stat_cgroup_open(const char *name, int *ret_fd);

/* ---- stat_open.c: targets and counters ------------------------------------ */

int stat_targets(struct stat_session *session);

struct tally_open_options stat_open_options(const struct stat_session *session,
					    const struct stat_set *set);

/* Open the counters of a run. What was refused is told with `first`; with `last` our privileges are
 * given up. 0, or -errno after having
 * said why. */
int stat_open(struct stat_session *session, bool first, bool last);
void stat_close(struct stat_session *session);

/* ---- stat_tell.c: what was refused or done otherwise, said once ------------- */

/* 0, or -EACCES when nothing could be opened for want of permission. */
int stat_tell(struct stat_session *session);
/* An event that cannot be counted: as an error when that is the end, else as a warning. */
void stat_tell_refusal(const char *name, const struct tally_refusal *why, bool fatal);

/* ---- stat_count.c: reading into cells ------------------------------------- */

/* Room for keys and cells; the counters are open. 0 or -ENOMEM. */
int stat_count_prepare(struct stat_session *session);

/* Read every counter into the cells: all since the start, or with `since_last` since the
 * reading before. 0 or the error of read(2). */
int stat_count_read(struct stat_session *session, bool since_last);

/* Add the cells to what the runs gave together, and put their mean into the cells. */
void stat_count_add_run(struct stat_session *session);
void stat_count_mean(struct stat_session *session);
void stat_count_free(struct stat_session *session);

/* Mean and deviation of the mean of `nr` numbers. */
struct stat_runs stat_runs_of(const uint64_t *each, uint64_t nr);

/* ---- stat_loop.c: one run ------------------------------------------------- */

/* Start the command if there is one, count, wait, print intervals. 0 or -errno, said. */
int stat_run_once(struct stat_session *session);

/* ---- stat_show.c: tables out of sessions ---------------------------------- */

int stat_output_open(struct stat_session *session);
int stat_show_interval(struct stat_session *session, uint64_t at);
int stat_show_total(struct stat_session *session);
int stat_output_close(struct stat_session *session);

#endif
