/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table that tally stat prints, with a row for each event, and a key for each CPU, core, thread
 * etc. by which counts are aggregated. stat_count_read() fills the table; the output formats print
 * it. The table functions themselves do not access the kernel.
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
	const char *cgroup;                  /* or NULL */
	const char *filter;                  /* tracepoint filter, or NULL */
	unsigned fallback;                   /* enum tally_fallback flags */
	const struct tally_refusal *refusal; /* NULL if the event was opened */
	size_t set, event;                   /* index of its set, and index within the set */
	bool merged;                         /* included in row merged_into, not printed */
	size_t merged_into;
	bool apart;       /* one of several events that --no-merge shows separately */
	bool of_metric;   /* needed by a -M metric */
	bool never_fires; /* the event can be opened on this machine but never occurs */
};

/* A metric selected by -M. */
struct stat_formula {
	const struct tally_metric_list *list;
	const struct tally_metric *metric;
	size_t base; /* row of the list's first event */
};

/* The CPU, core, thread etc. that a line is for. Fields that do not belong to the key are -1. */
struct stat_key {
	int32_t socket, die, core, node, cpu, tid;
	int32_t cluster;
	int32_t cache_level, cache; /* level of the cache, and its lowest CPU number */
	char comm[32];              /* thread name */
};

#define STAT_KEY_NONE                                  \
	{                                              \
		-1, -1, -1, -1, -1, -1, -1, -1, -1, "" \
	}

/* Fields of a key that depend on the CPU. */
enum stat_key_part {
	STAT_KEY_SOCKET = 1 << 0,
	STAT_KEY_DIE = 1 << 1,
	STAT_KEY_CORE = 1 << 2,
	STAT_KEY_NODE = 1 << 3,
	STAT_KEY_CPU = 1 << 4,
	STAT_KEY_CLUSTER = 1 << 5,
	STAT_KEY_CACHE = 1 << 6,
};

/* Fields of a key with their names in JSON and Prometheus. Those that are -1 are not part of it. */
struct stat_key_field {
	const char *name;
	int32_t value;
};

enum { STAT_KEY_FIELDS = 9 };

void stat_key_fields(const struct stat_key *key, struct stat_key_field ret_fields[STAT_KEY_FIELDS]);

/* Set the fields that are not in `parts`, a mask of enum stat_key_part, to -1. */
void stat_key_keep(struct stat_key *key, unsigned parts);

/* A row's count for a key. */
struct stat_cell {
	struct tally_count count; /* sum over its counters, or mean over several runs */
	uint64_t value;           /* value to print, scaled unless --no-scale was given */
	double mean;              /* `value` with its fraction, for ratios over several runs */
	double deviation;         /* standard error of the mean over several runs, in percent */
	uint32_t nr;              /* number of counters; 0 if the row has no count for this key */
};

/* An aggregation mode. */
struct stat_mode {
	const char *option;   /* option name, "" for the default */
	const char *json_key; /* name of the key in perf's JSON, or NULL */
	const char *header;   /* heading of the label column in interval mode */
	bool per_thread;      /* the key is a thread, not part of the CPU topology */
	bool key_first;       /* print all events for a key, then the next key */
	bool show_nr;         /* print the number of counters that were added up */
	unsigned parts;       /* fields that are part of the key: mask of enum stat_key_part */
	/* Append the key's label. */
	void (*label)(const struct stat_key *key, struct tally_str *out);
	int pad; /* label width in text output; negative to left-align */
	/* In per-thread mode, the width of the part of the label after '-', where `pad` is the
	 * width of the part before it; otherwise 0. */
	int pad_tid;
};

enum stat_aggr {
	STAT_AGGR_ALL,
	STAT_AGGR_CPU,
	STAT_AGGR_CORE,
	STAT_AGGR_DIE,
	STAT_AGGR_CLUSTER,
	STAT_AGGR_CACHE,
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
	double mean, deviation; /* mean, and its standard error, in ns */
	const uint64_t *each;   /* array of `nr` elapsed times */
};

struct region_tables; /* cli/main/region_table.h */

struct stat_table {
	const struct stat_mode *mode;
	const struct stat_row *rows;
	const struct stat_key *keys;
	const struct stat_cell *cells; /* indexed by row * nr_keys + key */
	const struct stat_cell *parts; /* same, before rows are merged; NULL if unknown */
	const struct stat_formula *formulas;
	size_t nr_rows, nr_keys, nr_formulas;
	const char *title; /* such as "'true'" or "system wide" */
	const char *via;   /* implementation used: "kernel" or "user" */
	bool estimated;    /* the counts are only estimates */
	/* Callback that adds details about the implementation to JSON, or NULL. */
	void (*add_via)(void *arg, struct tally_str *out);
	void *arg;
	const struct region_tables *regions; /* of --regions, or NULL */
	bool by_value;    /* sort threads by value and omit those without a count */
	bool per_run;     /* -r: print deviations */
	bool interval;    /* the table covers an interval that ended at time `at` (ns) */
	bool summary;     /* the table is the total of all intervals */
	bool no_times;    /* print only the counts */
	bool has_user;    /* times.user and system are known */
	bool list_runs;   /* --table */
	bool metric_only; /* --metric-only */
	uint64_t at;
	struct stat_times times; /* times for the interval or for all runs */
	struct stat_runs runs;
};

/* A number derived from counts. */
struct stat_metric {
	const char *unit; /* or NULL */
	const char *name; /* name of a -M metric, or NULL if identified by its unit */
	const char *pmu;  /* kind of core, or NULL for all */
	char prefix;      /* prefix of a rate: K, M, G; or 0 */
	double value;     /* not finite if there is no value */
	/* STAT_TENTHS: a percentage with one decimal. STAT_WHOLE: no decimals. */
	enum { STAT_RATE, STAT_RATIO, STAT_PERCENT, STAT_TENTHS, STAT_WHOLE, STAT_FORMULA } kind;
	/* For a -M metric, the worst quality among its counts. */
	enum tally_quality quality;
	double percent; /* percentage of time counted; the minimum over its counts */
	bool apart;     /* its events were counted at different times */
	bool passed;    /* exceeds its threshold */
	bool worst;     /* the bottleneck according to top-down analysis */
};

typedef TALLY_VEC(struct stat_metric) stat_metric_vec;

/* Append the metrics to be printed next to an event: perf's metrics, or the -M metrics that begin
 * with this event. Returns 0 or -ENOMEM. */
int stat_metrics_of(const struct stat_table *table, size_t row, size_t key, stat_metric_vec *out);

/* Append the unit and name, such as "CPUs utilized", "K/sec" or "% frontend_bound". */
void stat_metric_unit(const struct stat_metric *metric, struct tally_str *out);

/* Append the value in perf's format for this kind of metric, or the reason why there is no
 * value. */
void stat_metric_number(const struct stat_metric *metric, struct tally_str *out);

/* Return true if the row is a clock event. */
bool stat_row_is_clock(const struct stat_row *row);
/* Return true if the value is printed with a fraction, as for clocks in milliseconds and scaled
 * units. */
bool stat_row_is_real(const struct stat_row *row);
/* Return the unit of the row's values, or "". */
const char *stat_row_unit(const struct stat_row *row);
/* Return the mean of a cell in the row's unit. */
double stat_row_value(const struct stat_row *row, const struct stat_cell *cell);

/* Return true if the cell has a number to print; otherwise set `*ret_why` to the text to print. */
bool stat_cell_counted(const struct stat_cell *cell, const char **ret_why);

/* Return the running time as a percentage of the enabled time, or 100 if the event was never
 * enabled. */
double stat_cell_percent(const struct stat_cell *cell);

/* ---- output --------------------------------------------------------------- */

struct stat_line {
	const struct stat_row *row;
	const struct stat_key *key;
	const struct stat_cell *cell;
	const struct stat_metric *metrics;
	size_t nr_metrics;
	const struct stat_line *parts; /* one per kind of core, for a hybrid event */
	size_t nr_parts;
};

struct stat_printer;

struct stat_format {
	void (*begin)(struct stat_printer *printer,
		      const struct stat_table *table); /* may be NULL */
	void (*line)(struct stat_printer *printer, const struct stat_table *table,
		     const struct stat_line *line);
	void (*end)(struct stat_printer *printer, const struct stat_table *table); /* may be NULL */
	/* With --metric-only, print all metrics for a key. If NULL, line() is called as usual. */
	void (*metrics)(struct stat_printer *printer, const struct stat_table *table, size_t key);
};

extern const struct stat_format stat_format_text, stat_format_csv, stat_format_perf_json,
	stat_format_json;

struct stat_printer {
	const struct stat_format *format;
	struct tally_str out;
	const char *separator;   /* -x separator */
	const char *thousands;   /* "" for no separator */
	unsigned tables;         /* number of tables printed so far */
	int unit_width;          /* width of the widest unit, for text output */
	stat_metric_vec metrics; /* metrics of the line being printed */
	TALLY_VEC(struct stat_line) parts;
};

/* Free the printer's buffers. */
void stat_printer_free(struct stat_printer *printer);

/* Append the table to printer->out. Returns 0 or -ENOMEM. */
int stat_print(struct stat_printer *printer, const struct stat_table *table);

#endif
