/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tally stat shows: a table of counts, a row for each event and a key for each thing that
 * counts are added up over. Filled by the counting side, turned into text by the printing side;
 * nothing here touches the kernel.
 */
#ifndef TALLY_CLI_STAT_TABLE_H
#define TALLY_CLI_STAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "base/vec.h"
#include "tally/client.h"
#include "tally/events.h"

/* An event, in a cgroup or not. */
struct stat_row {
	const struct tally_event_spec *spec;
	const char *name;                    /* as shown */
	const char *cgroup;                  /* NULL: none */
	const char *filter;                  /* of a tracepoint; NULL: none */
	unsigned fallback;                   /* enum tally_fallback */
	const struct tally_refusal *refusal; /* NULL: it was opened */
	size_t set, event;                   /* where its counters are */
	bool merged;                         /* added to the row of its merge_first, not shown */
	size_t merged_into;
	bool of_metric;   /* counted for a metric of -M */
	bool never_fires; /* such events are opened here and never happen */
};

/* A metric of -M. */
struct stat_formula {
	const struct tally_metric_list *list;
	const struct tally_metric *metric;
	size_t base; /* row of the list's first event */
};

/* What a line stands for, other than its event. -1: says nothing. */
struct stat_key {
	int32_t socket, die, core, node, cpu, tid;
	char comm[32]; /* of the thread */
};

/* One count: of a row, for a key. */
struct stat_cell {
	struct tally_count count; /* sum over its counters; over several runs their mean */
	uint64_t value;           /* to show: scaled if that is wanted */
	double mean;              /* the same with its fraction, for ratios of several runs */
	double deviation;         /* of the mean over several runs, percent */
	uint32_t nr;              /* counters; 0: this row has none for this key */
};

/* How counts are added up. One row of a table for each way. */
struct stat_mode {
	const char *option;   /* name of the option, "" for the default */
	const char *json_key; /* perf's; NULL: none */
	const char *header;   /* of the label in interval mode */
	bool per_thread;      /* the key is a thread, else made of a CPU's place */
	bool key_first;       /* all events of a key, then the next key */
	bool show_nr;         /* the number of counters added up is shown */
	/* Reduce the place of a CPU to what matters; the rest is set to -1. */
	void (*key)(struct stat_key *key);
	void (*label)(const struct stat_key *key, struct tally_str *out);
	int pad;     /* columns of the label in text; negative: filled on the right */
	int pad_tid; /* per thread: label is filled up to its '-', this many follow */
};

enum stat_aggr {
	STAT_AGGR_ALL,
	STAT_AGGR_CPU,
	STAT_AGGR_CORE,
	STAT_AGGR_DIE,
	STAT_AGGR_SOCKET,
	STAT_AGGR_NODE,
	STAT_AGGR_THREAD,
	STAT_NR_AGGR
};

extern const struct stat_mode stat_modes[STAT_NR_AGGR];

struct stat_times {
	uint64_t wall, user, system; /* ns */
};

/* Wall times of several runs. */
struct stat_runs {
	uint64_t nr;
	double mean, deviation; /* ns; of the mean */
	const uint64_t *each;   /* nr of them */
};

struct stat_table {
	const struct stat_mode *mode;
	const struct stat_row *rows;
	const struct stat_key *keys;
	const struct stat_cell *cells; /* [row * nr_keys + key] */
	const struct stat_cell *parts; /* the same, before rows were merged; NULL: not known */
	const struct stat_formula *formulas;
	size_t nr_rows, nr_keys, nr_formulas;
	const char *title; /* "'true'", "system wide" */
	const char *via;   /* who counted: "kernel", "user" */
	bool estimated;    /* and could not do so exactly */
	/* Adds to JSON what else is to be known of who counted; NULL: nothing. */
	void (*add_via)(void *arg, struct tally_str *out);
	void *arg;
	bool by_value;    /* threads: the greatest first, those without a count left out */
	bool per_run;     /* -r: deviations are shown */
	bool interval;    /* counts of an interval that ended `at` ns after the start */
	bool summary;     /* the sum of all intervals */
	bool no_times;    /* only the counts */
	bool has_user;    /* times.user and system are known */
	bool list_runs;   /* --table */
	bool metric_only; /* --metric-only */
	uint64_t at;
	struct stat_times times; /* of the interval or the whole */
	struct stat_runs runs;
};

/* A figure derived from counts. */
struct stat_metric {
	const char *unit; /* NULL: none */
	const char *name; /* of a metric of -M; NULL: it is one by its unit */
	const char *pmu;  /* kind of core; NULL: all */
	char prefix;      /* of a rate: K, M, G; 0: none */
	double value;     /* not finite: there is none */
	enum { STAT_RATE, STAT_RATIO, STAT_PERCENT, STAT_FORMULA } kind;
	/* Of metrics of -M: the worst of what it is made of. */
	enum tally_quality quality;
	double percent; /* of the time that it was counted: the least */
	bool apart;     /* its events were not counted at the same time */
	bool passed;    /* it passes its threshold: it deserves attention */
	bool worst;     /* it is where the time goes, by top-down analysis */
};

typedef TALLY_VEC(struct stat_metric) stat_metric_vec;

/* Append what is shown beside an event: what perf shows, or the metrics of -M that begin with it.
 * 0 or -ENOMEM. */
int stat_metrics_of(const struct stat_table *table, size_t row, size_t key, stat_metric_vec *out);

/* "CPUs utilized", "K/sec", "%  frontend_bound". */
void stat_metric_unit(const struct stat_metric *metric, struct tally_str *out);

/* The number as perf writes it beside this kind, "" or why there is none. */
void stat_metric_number(const struct stat_metric *metric, struct tally_str *out);

/* Whether the value of a row is a fraction: a clock's milliseconds, or a scaled unit. */
bool stat_row_is_clock(const struct stat_row *row);
bool stat_row_is_real(const struct stat_row *row);
const char *stat_row_unit(const struct stat_row *row);
double stat_row_value(const struct stat_row *row, const struct stat_cell *cell);

/* Whether there is a number to show; else `*ret_why` is what is shown for it. */
bool stat_cell_counted(const struct stat_cell *cell, const char **ret_why);

/* Part of the time that it was enabled, percent; 100 for what never was. */
double stat_cell_percent(const struct stat_cell *cell);

/* ---- output --------------------------------------------------------------- */

struct stat_line {
	const struct stat_row *row;
	const struct stat_key *key;
	const struct stat_cell *cell;
	const struct stat_metric *metrics;
	size_t nr_metrics;
	const struct stat_line *parts; /* of a hybrid event: for each kind of core */
	size_t nr_parts;
};

struct stat_printer;

struct stat_format {
	void (*begin)(struct stat_printer *printer,
		      const struct stat_table *table); /* may be NULL */
	void (*line)(struct stat_printer *printer, const struct stat_table *table,
		     const struct stat_line *line);
	void (*end)(struct stat_printer *printer, const struct stat_table *table); /* may be NULL */
	/* --metric-only: all metrics of a key; NULL: as lines. */
	void (*metrics)(struct stat_printer *printer, const struct stat_table *table, size_t key);
};

extern const struct stat_format stat_format_text, stat_format_csv, stat_format_perf_json,
	stat_format_json;

struct stat_printer {
	const struct stat_format *format;
	struct tally_str out;
	const char *separator;   /* of -x */
	const char *thousands;   /* "" none */
	unsigned tables;         /* printed so far */
	int unit_width;          /* of text; widest unit */
	stat_metric_vec metrics; /* of the line that is printed */
	TALLY_VEC(struct stat_line) parts;
};

void stat_printer_free(struct stat_printer *printer);

/* Append the table to printer->out. 0 or -ENOMEM. */
int stat_print(struct stat_printer *printer, const struct stat_table *table);

#endif
