/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a string to attrs and back, and tracepoint payloads to text.
 *
 * Errors are negative errno values; 0 is success. `ret_` pointers are untouched on failure.
 * Error objects may be NULL. Free functions accept NULL. A context, a list or a format is used
 * by one thread at a time; a compiled print program is constant and may be shared.
 * Nothing here prints, and nothing opens a perf event.
 *
 *	tally_events_new(NULL, NULL, &events);
 *	ret = tally_events_parse(events, "{cycles,instructions}:u,sched:*", 31, &list, &err);
 *	for (size_t i = 0; i < list->nr; i++)
 *		use(&list->specs[i].attr, list->specs[i].name);
 *	tally_event_list_free(list);
 *	tally_events_free(events);
 */
#ifndef TALLY_EVENTS_H
#define TALLY_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tally_error;
struct tally_str;

/* ---- the context: where the kernel describes its events ------------------ */

struct tally_events;

/* `sysfs` is the root that has bus/event_source/devices (NULL: /sys); `tracefs` the root that
 * has events/ (NULL: /sys/kernel/tracing, then /sys/kernel/debug/tracing). Nothing is read
 * before it is needed; what was read of a PMU is kept. 0 or -ENOMEM. */
int tally_events_new(const char *sysfs, const char *tracefs, struct tally_events **ret_events);
void tally_events_free(struct tally_events *events);

/* What was wrong with an event string, where, and what would help. Plain data, no ownership. */
struct tally_event_error {
	int code;         /* the -errno returned; 0 while nothing went wrong */
	const char *text; /* constant; lower case, no full stop */
	size_t offset;    /* byte of the whole string the text speaks of */
	char slice[64];   /* the offending piece, cut to fit */
	unsigned nr_near; /* known names most like the slice, best first */
	char near[5][64];
	char fix[256]; /* what to do about it; "" when nothing is known */
};

/* The tracefs root found, as `*ret_root` (owned by `events`). 0; -ENOENT when it is not mounted,
 * -EACCES when it may not be read; `err` then has the fix. */
int tally_events_tracefs(struct tally_events *events, const char **ret_root,
			 struct tally_event_error *err);

/* ---- tables: names and metrics of CPUs' events ------------------------------ */

/* What is wrong with a table that is read; the texts live during the call. */
struct tally_events_diagnostic {
	bool error;            /* else a warning */
	const char *path;      /* of the file */
	uint32_t line, column; /* from 1; 0 where it is about the whole file */
	const char *what, *why;
};
typedef void tally_events_diagnostic_fn(const struct tally_events_diagnostic *diagnostic,
					void *data);

/* Take events and metrics from `path` instead of from the built-in tables: a tree like
 * pmu-events/arch, a directory of JSON, or one file, Linux' or Intel's. `diagnostic` may be NULL.
 * Read at the first need; then 0 or -errno as tally_events_table_get(). -ENOMEM. */
int tally_events_tables_from(struct tally_events *events, const char *path,
			     tally_events_diagnostic_fn *diagnostic, void *data);

/* Whose events have names. */
enum tally_events_cpu {
	TALLY_CPU_THIS,  /* this machine's, called otherwise: PERF_CPUID; "": it has no tables */
	TALLY_CPU_OTHER, /* another machine's: its PMUs are those of its architecture, not sysfs' */
};

/* `cpuid` is an identity as mapfile.csv matches it, "GenuineIntel-6-8F-8", or with OTHER also
 * the name of a table, "silvermont". Must be called before anything is parsed. -ENOMEM. */
int tally_events_set_cpu(struct tally_events *events, enum tally_events_cpu whose,
			 const char *cpuid);

/* The table in use. */
struct tally_events_table {
	const char *cpuid;       /* "" if the machine does not tell */
	const char *arch, *name; /* "x86", "silvermont"; name "" without a table */
	bool architectural;      /* nobody has a table of this CPU: what its architecture defines */
	bool other;              /* not this machine's */
	uint32_t nr_events, nr_metrics;
};

/* Texts live as long as `events`. 0, also without a table; or the error of reading them: -ENOENT
 * nothing there, -EINVAL wrong content, -EFBIG, -E2BIG, -ENOMEM or that of open(2). */
int tally_events_table_get(struct tally_events *events, struct tally_events_table *ret_table);

/* ---- a string to attrs ---------------------------------------------------- */

/* Bits of tally_event_terms.given. */
enum tally_event_term {
	TALLY_TERM_PERIOD = 1 << 0,
	TALLY_TERM_FREQ = 1 << 1,
	TALLY_TERM_TIME = 1 << 2,
	TALLY_TERM_CALL_GRAPH = 1 << 3,
	TALLY_TERM_STACK_SIZE = 1 << 4,
	TALLY_TERM_INHERIT = 1 << 5,
	TALLY_TERM_OVERWRITE = 1 << 6,
	TALLY_TERM_MAX_STACK = 1 << 7,
	TALLY_TERM_MAX_EVENTS = 1 << 8,
	TALLY_TERM_BRANCH = 1 << 9,
	TALLY_TERM_PERCORE = 1 << 10,
	TALLY_TERM_AUX_OUTPUT = 1 << 11,
	TALLY_TERM_AUX_SAMPLE = 1 << 12,
	TALLY_TERM_NAME = 1 << 13,
	TALLY_TERM_DRIVER = 1 << 14,
};

/* Times that perf stat takes itself; the attr is that of the dummy software event. */
enum tally_event_tool {
	TALLY_TOOL_NONE = 0,
	TALLY_TOOL_DURATION_TIME = 1, /* wall time of the run, ns */
	TALLY_TOOL_USER_TIME = 2,     /* of the command, ns */
	TALLY_TOOL_SYSTEM_TIME = 3,
};

/* Settings of one event that override those of the command line, where `given`. */
struct tally_event_terms {
	uint32_t given;        /* enum tally_event_term */
	uint64_t period, freq; /* also in attr.sample_period, or sample_freq with attr.freq */
	bool time;             /* time=0|1: record timestamps */
	bool inherit;          /* inherit, no-inherit */
	bool overwrite;        /* overwrite, no-overwrite */
	bool percore, aux_output;
	uint32_t max_stack;  /* max-stack=N */
	uint32_t max_events; /* nr=N: stop after N samples */
	uint32_t stack_size; /* stack-size=N bytes, for call-graph=dwarf */
	uint32_t aux_sample_size;
	const char *call_graph;  /* fp, dwarf, lbr, no, caller ... as written */
	const char *branch_type; /* branch_type=any,u ... as written */
	const char *driver;      /* @name[=value] terms joined by commas, the @ dropped */
};

/*
 * One event to open. The attr holds type, size, config*, the exclude bits, precise_ip, pinned,
 * exclusive, exclude_idle, breakpoint fields and, where the string says so, sample_period or
 * sample_freq + freq. All else is zero: sample_type, read_format, disabled, inherit and the
 * default rates are the caller's business (a tracepoint is usually recorded with period 1).
 */
struct tally_event_spec {
	struct perf_event_attr attr;
	const char *name;       /* as perf displays it, with its modifiers: "cycles:u" */
	const char *pmu;        /* sysfs name of the PMU, NULL for the generic types */
	const char *group_name; /* of `name{a,b}`, NULL without */
	uint32_t group;  /* number of the group, from 0; each event outside braces has its own */
	uint32_t leader; /* index in the list of the group's first member */
	uint32_t nr_members; /* size of the group, 1 outside braces */
	bool in_braces;
	bool weak_group;    /* W: if the group cannot be scheduled, open the members alone */
	bool sample_read;   /* S: the leader samples, the others are read with it */
	bool precise_max;   /* P: the highest precise_ip that opens; attr.precise_ip is then the
			     * PMU's caps/max_precise, or 3 when that is not known */
	bool per_package;   /* events/NAME.per-pkg */
	bool snapshot;      /* events/NAME.snapshot: the value is a state, not a count */
	bool uncore;        /* has a cpumask: open it only on `cpus`, with pid -1 */
	bool exclude_given; /* a modifier said u, k or h: do not add exclude bits */
	bool guest_given;   /* a modifier said G or H */
	bool merge;         /* same event on several PMUs (uncore_x_0, uncore_x_1 ...): perf stat
			     * shows the sum; `merge_first` is the index of the first of them */
	bool hybrid;        /* the several PMUs are kinds of cores: a task is on one at a time, so
			     * that their times add up */
	uint32_t merge_first;
	const uint32_t *cpus; /* cpumask or cpus of the PMU, ascending; NULL: any CPU will do */
	size_t nr_cpus;
	const char *unit;           /* "Joules"; "" without */
	double scale;               /* count * scale is in `unit`; 1 without */
	enum tally_event_tool tool; /* not NONE: do not open it, the caller measures */
	const char *place; /* PMU of its counters in the table of the CPU; NULL: nothing is known */
	uint16_t counters; /* bit n: generic counter n can count it */
	uint8_t fixed;     /* bit n: fixed counter n can */
	struct tally_event_terms terms;
};

struct tally_event_list {
	struct tally_event_spec *specs;
	size_t nr;
	uint32_t nr_groups;
	void *memory; /* private: owns all the strings and arrays of the specs */
};

/*
 * Parse `len` bytes of perf's event syntax: lists, groups, modifiers (u k h G H p P D S W I e b),
 * generic, cache, raw (rNNN), PMU terms, aliases, tracepoints with globs, breakpoints, events of
 * the CPU's table, in its spelling, libpfm's (clx::EVENT:UMASK) or likwid's (EVENT_UMASK:PMC0).
 * On CPUs with several kinds of cores, an event of cores is one spec for each kind.
 * The list is freed with tally_event_list_free() and does not refer to `events`.
 * 0; -EINVAL bad syntax, value or modifier; -ENOENT unknown event, PMU, term or tracepoint;
 * -EACCES tracefs may not be read; -E2BIG more than 65,536 events or 1 MiB; -ENOMEM.
 */
int tally_events_parse(struct tally_events *events, const char *text, size_t len,
		       struct tally_event_list **ret_list, struct tally_event_error *err);
void tally_event_list_free(struct tally_event_list *list);

/* ---- what events there are ------------------------------------------------ */

enum tally_event_kind {
	TALLY_EVENT_HARDWARE = 1 << 0,
	TALLY_EVENT_SOFTWARE = 1 << 1,
	TALLY_EVENT_CACHE = 1 << 2,
	TALLY_EVENT_PMU = 1 << 3, /* aliases in sysfs */
	TALLY_EVENT_RAW = 1 << 4, /* the forms rNNN and pmu/terms/, as patterns */
	TALLY_EVENT_BREAKPOINT = 1 << 5,
	TALLY_EVENT_TRACEPOINT = 1 << 6,
	TALLY_EVENT_TABLE = 1 << 7,  /* of the CPU's table */
	TALLY_EVENT_METRIC = 1 << 8, /* for -M */
	TALLY_EVENT_METRIC_GROUP = 1 << 9,
};

struct tally_event_info {
	enum tally_event_kind kind;
	const char *name;     /* can be parsed; for RAW and BREAKPOINT a pattern */
	const char *alias;    /* second spelling, NULL without */
	const char *pmu;      /* NULL for the generic types */
	const char *text;     /* one line of description, NULL without */
	const char *encoding; /* of PMU aliases: their terms; NULL elsewhere */
	const char *unit;     /* "" without */
	uint32_t type;        /* attr.type; UINT32_MAX of patterns, metrics and PMUs not here */
	uint64_t config;      /* attr.config; 0 of PMU aliases, table events and patterns */
	/* Of tables; NULL or 0 elsewhere. */
	const char *topic;      /* "cache"; of a metric its groups, "Summary;TopdownL1" */
	const char *long_text;  /* NULL without */
	const char *expression; /* of a metric */
	uint16_t counters;      /* generic counters that can count it; 0: any, or not known */
	uint8_t fixed;          /* fixed counters */
	bool deprecated;
};

/* Sees one event; the strings live until it returns. Anything but 0 ends the walk. */
typedef int tally_event_visit_fn(const struct tally_event_info *info, void *data);

/* Visit all events of `kinds` (a mask of enum tally_event_kind) whose name or alias matches
 * `glob` (NULL: all; without wildcards it matches as a substring, of tables also in topics,
 * groups and descriptions), in the order of the enum, then by name. Hardware and cache names are
 * those perf knows; whether a PMU counts them only opening tells. Tracepoints are left out silently
 * when tracefs is not there (ask tally_events_tracefs). 0, what `visit` returned, or -ENOMEM. */
int tally_events_each(struct tally_events *events, unsigned kinds, const char *glob,
		      tally_event_visit_fn *visit, void *data);

/* ---- counters -------------------------------------------------------------- */

/* Counters of a PMU: bit n is counter n. */
struct tally_event_counters {
	uint16_t generic;
	uint8_t fixed;
};

/* The counters of the cores, as far as the table of the CPU tells; else what its architecture has
 * at least. 0 or the error of tally_events_table_get(). */
int tally_events_counters(struct tally_events *events, struct tally_event_counters *ret_counters);

/* The counters among `all` that can count an event; both empty for one that needs none, as
 * software events. */
struct tally_event_counters tally_event_counters_of(const struct tally_events *events,
						    const struct tally_event_spec *spec,
						    struct tally_event_counters all);

/* Whether events that can be on `needs` each can be on `all` at the same time. */
bool tally_event_counters_fit(const struct tally_event_counters *needs, size_t nr,
			      struct tally_event_counters all);

/* ---- metrics ----------------------------------------------------------------- */

struct tally_formula;

enum tally_metrics_flag {
	TALLY_METRICS_NO_GROUP = 1,     /* events one by one, not together */
	TALLY_METRICS_NO_MERGE = 2,     /* no group for several metrics */
	TALLY_METRICS_NMI_WATCHDOG = 4, /* the kernel has a counter for itself */
	TALLY_METRICS_THRESHOLDS = 8,   /* with the metrics that their thresholds look at */
};

struct tally_metric {
	const char *name; /* "ipc" */
	const char *pmu;  /* kind of core that it is of; NULL where there is one kind */
	const char *text; /* one line of description, "" without */
	const char *unit; /* "per cycle", "%"; "" without */
	double scale;     /* the value times this is in `unit` */
	const char *expression;
	const char *threshold; /* expression over metrics: where the value deserves attention; "" */
	const char *groups;    /* "TopdownL2;tma_backend_bound_group", "" without */
	bool hidden;           /* was not asked for, a threshold looks at it */
	const uint32_t *events; /* indices of the specs that it is made of, ascending */
	size_t nr_events;
	bool together; /* they are one group: counted at the same time */
	/* Private. */
	const struct tally_formula *formula;
	const uint32_t *places;
};

struct tally_metric_list {
	struct tally_event_list *events; /* what to open, in groups that fit the counters */
	struct tally_metric *metrics;
	size_t nr;
	void *memory; /* private */
};

/*
 * Metrics and groups of metrics by name, comma-separated, any case. On CPUs with several kinds of
 * cores a metric is there for each kind that has it. 0; -ENOENT no such metric or group; -EINVAL
 * one that cannot be computed here; -ENOMEM; or that of tally_events_table_get().
 */
int tally_metrics_parse(struct tally_events *events, const char *text, size_t len, unsigned flags,
			struct tally_metric_list **ret_list, struct tally_event_error *err);
void tally_metric_list_free(struct tally_metric_list *list);

/* The count of spec `event` of the list, in its own unit: ns of times; NaN if there is none. */
typedef double tally_metric_count_fn(void *data, uint32_t event);

/* What the metric is for these counts, in its unit; NaN or infinite where it divides by nothing.
 * 0 or -ENOMEM. */
int tally_metric_evaluate(const struct tally_metric_list *list, const struct tally_metric *metric,
			  tally_metric_count_fn *count, void *data, double *ret_value);

enum tally_threshold {
	TALLY_THRESHOLD_UNKNOWN, /* it has none, or looks at what is not in the list or no number */
	TALLY_THRESHOLD_KEPT,
	TALLY_THRESHOLD_PASSED, /* the value deserves attention */
};

/* Whether the metric passes its threshold for these counts. 0 or -ENOMEM. */
int tally_metric_threshold(const struct tally_metric_list *list, const struct tally_metric *metric,
			   tally_metric_count_fn *count, void *data,
			   enum tally_threshold *ret_threshold);

/* Where the time goes by top-down analysis: of its first level, the largest metric that passes its
 * threshold, then of that one's parts, as deep as the list goes; of the kind of core `pmu` (NULL:
 * of the only one). NULL where none passes. 0 or -ENOMEM. */
int tally_metric_bottleneck(const struct tally_metric_list *list, const char *pmu,
			    tally_metric_count_fn *count, void *data,
			    const struct tally_metric **ret_metric);

/* ---- attrs to strings ------------------------------------------------------ */

/* Append the name perf shows for an attr that came without one: "cycles:u",
 * "L1-dcache-load-misses", "raw 0x1a8", "mem:0x1234:rw", "unknown tracepoint".
 * Pure; a failure to allocate is remembered in `out`. */
void tally_event_name(const struct perf_event_attr *attr, struct tally_str *out);

/* ---- tracepoint formats ---------------------------------------------------- */

struct tally_tp_field {
	const char *name;
	const char *type;      /* as written, without the name: "unsigned long", "char[16]" */
	uint32_t offset, size; /* of the field in the payload, bytes */
	uint32_t elements;     /* of a fixed array, else 1 */
	uint32_t
		element_size; /* bytes of one; of dynamic arrays what the type says, 1 if unknown */
	bool is_signed;
	bool is_array;
	bool is_string;   /* an array of char, fixed or dynamic */
	bool is_dynamic;  /* __data_loc or __rel_loc: the field holds where the data is */
	bool is_relative; /* __rel_loc: counted from behind the field */
	bool is_pointer;
};

struct tally_tp_format {
	const char *name;
	uint32_t id;
	size_t nr_common; /* the first fields are those common to all tracepoints */
	size_t nr_fields; /* in all */
	const struct tally_tp_field *fields;
	const char *print_fmt; /* behind "print fmt: ", "" without */
	void *memory;          /* private */
};

/* Parse a tracefs `format` file. 0; -EINVAL with reason and offset when it has no name, a field
 * without offset or size, or more than 1,024 fields; -ENOMEM. */
int tally_tp_format_parse(const void *bytes, size_t len, struct tally_tp_format **ret_format,
			  struct tally_error *err);
void tally_tp_format_free(struct tally_tp_format *format);

/* Field by name among all, NULL if there is none. */
const struct tally_tp_field *tally_tp_format_find(const struct tally_tp_format *format,
						  const char *name);

/* A payload (PERF_SAMPLE_RAW without its size word) as its machine wrote it. */
struct tally_tp_raw {
	const uint8_t *data;
	size_t len;
	bool swap; /* bytes are of the other byte order */
};

/* An integer or pointer field, sign-extended if signed; of a dynamic field the loc word.
 * 0; -EINVAL for sizes other than 1, 2, 4, 8; -ERANGE when it lies outside the payload. */
int tally_tp_field_u64(const struct tally_tp_field *field, const struct tally_tp_raw *raw,
		       uint64_t *ret_value);

/* The bytes of a field, dynamic ones followed. They point into the payload; a string may lack
 * its NUL. 0, or -ERANGE when they lie outside of it. */
int tally_tp_field_bytes(const struct tally_tp_field *field, const struct tally_tp_raw *raw,
			 const uint8_t **ret_bytes, size_t *ret_len);

/* ---- tracepoint payloads as text ------------------------------------------ */

struct tally_tp_print;

/* The machine that wrote the payloads. */
struct tally_tp_target {
	uint8_t long_size; /* 4 or 8 */
	bool swap;         /* its byte order is not ours */
	bool big_endian;
	bool beyond_perf; /* compile also sizeof, %c, %+d and the _u64 tables, which perf script
			   * prints wrongly or as [FAILED TO PARSE] */
};

/* Compile the print fmt of `format`, which may be freed afterwards. The text is byte for byte
 * that of perf script (libtraceevent 1.7), also where C would have it otherwise: values are not
 * sign-extended, operators of equal rank group from the right, unknown names are 0.
 * 0; -EOPNOTSUPP with the reason and the offset in print_fmt when it uses what is not known
 * here (fall back to libtraceevent, or print "[FAILED TO PARSE]" and the fields, as perf does
 * in nearly all of these cases); -EINVAL when it is no print fmt at all; -ENOMEM. */
int tally_tp_print_compile(const struct tally_tp_format *format,
			   const struct tally_tp_target *target, struct tally_tp_print **ret_print,
			   struct tally_error *err);
void tally_tp_print_free(struct tally_tp_print *print);

/* Name of the kernel function at `addr` and its start, or NULL; lives until the next call. */
typedef const char *tally_tp_resolve_fn(uint64_t addr, uint64_t *ret_start, void *data);

/* What a program may ask of its surroundings. NULL instead of it: addresses in hex. */
struct tally_tp_env {
	tally_tp_resolve_fn *resolve; /* %pS, %ps, %pF, %pf; NULL: hex */
	void *data;
	size_t max_len; /* bytes of a text, which is cut there; 0: no limit. A format's literals,
			 * delimiters and names may be of any length, and come with each payload */
};

/* Append the text of one payload, without a newline, as perf script's `trace` field has it.
 * Allocates only by growing `out`. 0; -ERANGE when the payload is shorter than its fields say
 * (the text up to there is appended); -E2BIG when the text was cut at `env->max_len`, and no more
 * work done than for that; failures to allocate are remembered in `out`. */
int tally_tp_print_run(const struct tally_tp_print *print, const uint8_t *data, size_t len,
		       const struct tally_tp_env *env, struct tally_str *out);

/* Append all own fields as " name=value", as perf script shows them behind "[FAILED TO PARSE]".
 * Fields outside of the payload, or of no integer size, have no value. Of `env`, which may be
 * NULL, the limit is kept. 0, or -E2BIG when the text was cut there. */
int tally_tp_print_fields(const struct tally_tp_format *format, const struct tally_tp_raw *raw,
			  const struct tally_tp_env *env, struct tally_str *out);

#ifdef __cplusplus
}
#endif

#endif
