/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table that tally stat prints: a row for each event, and a key for each CPU, core, thread etc.
 * that counts are aggregated by. Counting fills it and the formats print it. Nothing here uses the
 * kernel.
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

/* An event, possibly in a cgroup. */
struct stat_row {
	const struct tally_event_spec *spec;
	const char *name;                    /* printed name */
	const char *cgroup;                  /* NULL: none */
	const char *filter;                  /* of a tracepoint; NULL: none */
	unsigned fallback;                   /* enum tally_fallback */
	const struct tally_refusal *refusal; /* NULL: it was opened */
	size_t set, event;                   /* location of its counters */
	bool merged;                         /* included in the row merged_into, not printed */
	size_t merged_into;
	bool of_metric;   /* counted for a metric of -M */
	bool never_fires; /* the event can be opened here but never occurs */
};

/* A metric of -M. */
struct stat_formula {
	const struct tally_metric_list *list;
	const struct tally_metric *metric;
	size_t base; /* row of the list's first event */
};

/* The CPU, core, thread etc. of a line. -1: not part of the key. */
struct stat_key {
	int32_t socket, die, core, node, cpu, tid;
	char comm[32]; /* of the thread */
};

/* The count of a row for a key. */
struct stat_cell {
	struct tally_count count; /* sum over its counters; mean over several runs */
	uint64_t value;           /* to print; scaled unless --no-scale was given */
	double mean;              /* the same with its fraction, for ratios over several runs */
	double deviation;         /* of the mean over several runs, in percent */
	uint32_t nr;              /* number of counters; 0: the row has no count for this key */
};

/* A way of aggregating counts. */
struct stat_mode {
	const char *option;   /* name of the option, "" for the default */
	const char *json_key; /* perf's key; NULL: none */
	const char *header;   /* of the label, in interval mode */
	bool per_thread;      /* the key is a thread; otherwise a part of a CPU's topology */
	bool key_first;       /* print all events of a key, then the next key */
	bool show_nr;         /* print the number of counters added up */
	/* Keep the parts of a CPU's topology that form the key, and set the others to -1. */
	void (*key)(struct stat_key *key);
	void (*label)(const struct stat_key *key, struct tally_str *out);
	int pad;     /* width of the label in text; negative: padded on the right */
	int pad_tid; /* per thread: the label is padded up to its '-'; columns after that */
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

/* Elapsed times of several runs. */
struct stat_runs {
	uint64_t nr;
	double mean, deviation; /* ns; the deviation is that of the mean */
	const uint64_t *each;   /* nr of them */
};

struct stat_table {
	const struct stat_mode *mode;
	const struct stat_row *rows;
	const struct stat_key *keys;
	const struct stat_cell *cells; /* [row * nr_keys + key] */
	const struct stat_cell *parts; /* the same, before merging rows; NULL: unknown */
	const struct stat_formula *formulas;
	size_t nr_rows, nr_keys, nr_formulas;
	const char *title; /* "'true'", "system wide" */
	const char *via;   /* implementation that counted: "kernel" or "user" */
	bool estimated;    /* it can only estimate */
	/* Adds details about the implementation to JSON; NULL: none. */
	void (*add_via)(void *arg, struct tally_str *out);
	void *arg;
	bool by_value;    /* threads: sorted by value, those without a count left out */
	bool per_run;     /* -r: print deviations */
	bool interval;    /* an interval that ended `at` ns after the start */
	bool summary;     /* the sum of all intervals */
	bool no_times;    /* print only the counts */
	bool has_user;    /* times.user and system are known */
	bool list_runs;   /* --table */
	bool metric_only; /* --metric-only */
	uint64_t at;
	struct stat_times times; /* of the interval or the whole */
	struct stat_runs runs;
};

/* A number derived from counts. */
struct stat_metric {
	const char *unit; /* NULL: none */
	const char *name; /* of a metric of -M; NULL: identified by its unit */
	const char *pmu;  /* kind of core; NULL: all */
	char prefix;      /* of a rate: K, M, G; 0: none */
	double value;     /* not finite: no value */
	enum { STAT_RATE, STAT_RATIO, STAT_PERCENT, STAT_FORMULA } kind;
	/* For metrics of -M: the worst quality of its counts. */
	enum tally_quality quality;
	double percent; /* of the time that it was counted; the minimum of its counts */
	bool apart;     /* its events were counted at different times */
	bool passed;    /* exceeds its threshold */
	bool worst;     /* the bottleneck according to top-down analysis */
};

typedef TALLY_VEC(struct stat_metric) stat_metric_vec;

/* Append the metrics that are printed next to an event: perf's metrics, or the metrics of -M whose
 * first event it is. Returns 0 or -ENOMEM. */
int stat_metrics_of(const struct stat_table *table, size_t row, size_t key, stat_metric_vec *out);

/* Append the unit and the name: "CPUs utilized", "K/sec", "% frontend_bound". */
void stat_metric_unit(const struct stat_metric *metric, struct tally_str *out);

/* Append the value in perf's format for this kind, or the reason why there is none. */
void stat_metric_number(const struct stat_metric *metric, struct tally_str *out);

/* Return true if the row is a clock. */
bool stat_row_is_clock(const struct stat_row *row);
/* Return true if the value is printed with a fraction: clocks in milliseconds, and scaled units. */
bool stat_row_is_real(const struct stat_row *row);
/* Return the unit of the row's values, or "". */
const char *stat_row_unit(const struct stat_row *row);
/* Return the mean of a cell in that unit. */
double stat_row_value(const struct stat_row *row, const struct stat_cell *cell);

/* Return true if the cell has a number to print; otherwise `*ret_why` is the text to print. */
bool stat_cell_counted(const struct stat_cell *cell, const char **ret_why);

/* Return the time running in percent of the time enabled; 100 if it was never enabled. */
double stat_cell_percent(const struct stat_cell *cell);

/* ---- output --------------------------------------------------------------- */

struct stat_line {
	const struct stat_row *row;
	const struct stat_key *key;
	const struct stat_cell *cell;
	const struct stat_metric *metrics;
	size_t nr_metrics;
	const struct stat_line *parts; /* of a hybrid event: one per kind of core */
	size_t nr_parts;
};

struct stat_printer;

struct stat_format {
	void (*begin)(struct stat_printer *printer,
		      const struct stat_table *table); /* may be NULL */
	void (*line)(struct stat_printer *printer, const struct stat_table *table,
		     const struct stat_line *line);
	void (*end)(struct stat_printer *printer, const struct stat_table *table); /* may be NULL */
	/* --metric-only: print all metrics of a key; NULL: print lines. */
	void (*metrics)(struct stat_printer *printer, const struct stat_table *table, size_t key);
};

extern const struct stat_format stat_format_text, stat_format_csv, stat_format_perf_json,
	stat_format_json;

struct stat_printer {
	const struct stat_format *format;
	struct tally_str out;
	const char *separator;   /* of -x */
	const char *thousands;   /* "": no separator */
	unsigned tables;         /* printed so far */
	int unit_width;          /* for text: width of the widest unit */
	stat_metric_vec metrics; /* of the line being printed */
	TALLY_VEC(struct stat_line) parts;
};

/* Free the buffers of the printer. */
void stat_printer_free(struct stat_printer *printer);

/* Append the table to printer->out. Returns 0 or -ENOMEM. */
int stat_print(struct stat_printer *printer, const struct stat_table *table);

#endif
