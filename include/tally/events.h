/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parsing event strings into attrs, naming attrs, and printing tracepoint payloads.
 *
 * Functions that return int return 0 or a negative errno unless stated otherwise; `ret_` pointers
 * are untouched on failure. Error objects may be NULL; free functions accept NULL. Nothing here
 * prints or opens a perf event.
 *
 * Threads: a context, a list or a format may be used by one thread at a time; different ones are
 * independent. A compiled print program is constant and may be shared. Functions marked "Pure" only
 * compute from their arguments and may be called from any thread.
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

/* ---- the context: the kernel's description of its events ----------------- */

struct tally_events;

/* Create a context. `sysfs` is the directory that contains bus/event_source/devices (NULL: /sys).
 * `tracefs` is the directory that contains events/ (NULL: /sys/kernel/tracing, then
 * /sys/kernel/debug/tracing). Files are read when they are needed; what was read of a PMU is
 * cached. Return 0 or -ENOMEM. */
int tally_events_new(const char *sysfs, const char *tracefs, struct tally_events **ret_events);

/* Free the context. Lists parsed with it stay valid. NULL is allowed. */
void tally_events_free(struct tally_events *events);

/* An error in an event string: its reason, its position, and a fix. Plain data without pointers to
 * free. */
struct tally_event_error {
	int code;         /* the -errno that was returned; 0 if there was no error */
	const char *text; /* constant; lower case, no full stop */
	size_t offset;    /* offset in the whole string that the text refers to */
	char slice[64];   /* the piece that is wrong, truncated to fit */
	unsigned nr_near; /* known names most similar to the slice, best first */
	char near[5][64];
	char fix[256]; /* how to solve the problem; "" if unknown */
};

/* Find the tracefs directory. `*ret_root` belongs to `events`. Return 0; -ENOENT if tracefs is not
 * mounted; -EACCES if it cannot be read; `err` then contains the fix. */
int tally_events_tracefs(struct tally_events *events, const char **ret_root,
			 struct tally_event_error *err);

/* ---- tables: names and metrics of CPU events -------------------------------- */

/* A problem in a table file. The strings are valid during the call. */
struct tally_events_diagnostic {
	bool error;            /* else a warning */
	const char *path;      /* of the file */
	uint32_t line, column; /* from 1; 0 if the problem concerns the whole file */
	const char *what, *why;
};

/* Receives the problems of table files. `data` is that of tally_events_set_tables(). */
typedef void tally_events_diagnostic_fn(const struct tally_events_diagnostic *diagnostic,
					void *data);

/* Read events and metrics from `path` instead of the built-in tables: a tree like pmu-events/arch,
 * a directory of JSON files, or a single file in Linux's or Intel's format. `diagnostic` may be
 * NULL. The files are read when they are first needed; the function that needs them then fails like
 * tally_events_table_get(). Return 0 or -ENOMEM. */
int tally_events_set_tables(struct tally_events *events, const char *path,
			    tally_events_diagnostic_fn *diagnostic, void *data);

/* The CPU that the event names are for. */
enum tally_events_cpu {
	TALLY_CPU_THIS,  /* this machine under another identity, as with PERF_CPUID; "": without
	                  * tables */
	TALLY_CPU_OTHER, /* another machine: PMUs are those of its architecture, not from sysfs */
};

/* Use the tables of another CPU. `cpuid` is an identity as in mapfile.csv, such as
 * "GenuineIntel-6-8F-8"; with TALLY_CPU_OTHER it may also be the name of a table, such as
 * "silvermont". Must be called before anything is parsed. Return 0 or -ENOMEM. */
int tally_events_set_cpu(struct tally_events *events, enum tally_events_cpu whose,
			 const char *cpuid);

/* The table that is used. */
struct tally_events_table {
	const char *cpuid;       /* "" if the machine does not provide it */
	const char *arch, *name; /* "x86", "silvermont"; name is "" if there is no table */
	bool architectural;      /* no table of this CPU: events of its architecture */
	bool other;              /* of another machine */
	uint32_t nr_events, nr_metrics;
};

/* Read the tables if necessary, and describe the one in use. The strings are valid as long as
 * `events`. Return 0, also if there is no table; -ENOENT if the path does not exist; -EINVAL if its
 * content is invalid; -EFBIG; -E2BIG; -ENOMEM; or the error of open(2). */
int tally_events_table_get(struct tally_events *events, struct tally_events_table *ret_table);

/* ---- strings to attrs ----------------------------------------------------- */

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

/* Times that perf stat measures itself. The attr is that of the dummy software event. */
enum tally_event_tool {
	TALLY_TOOL_NONE = 0,
	TALLY_TOOL_DURATION_TIME = 1, /* wall time of the run, ns */
	TALLY_TOOL_USER_TIME = 2,     /* of the command, ns */
	TALLY_TOOL_SYSTEM_TIME = 3,
};

/* Settings of one event that override those of the command line, if their bit in `given` is set. */
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
 * An event to open. The attr contains type, size, config*, the exclude bits, precise_ip, pinned,
 * exclusive, exclude_idle, the breakpoint fields and, if the string sets them, sample_period or
 * sample_freq with freq. All other fields are zero: the caller sets sample_type, read_format,
 * disabled, inherit and the default rates. (A tracepoint is usually recorded with period 1.)
 */
struct tally_event_spec {
	struct perf_event_attr attr;
	const char *name;       /* as perf displays it, with its modifiers: "cycles:u" */
	const char *pmu;        /* sysfs name of the PMU; NULL for the generic types */
	const char *group_name; /* of `name{a,b}`, or NULL */
	uint32_t group;  /* number of the group, from 0; each event outside braces has its own */
	uint32_t leader; /* index of the group's first member in the list */
	uint32_t nr_members; /* size of the group, 1 outside braces */
	bool in_braces;
	bool weak_group;    /* W: open the members separately if the group cannot be scheduled */
	bool sample_read;   /* S: the leader samples and reads the other members */
	bool precise_max;   /* P: use the highest precise_ip that can be opened; attr.precise_ip is
	                     * the PMU's caps/max_precise, or 3 if that is unknown */
	bool per_package;   /* events/NAME.per-pkg exists */
	bool snapshot;      /* events/NAME.snapshot exists: the value is a state, not a count */
	bool uncore;        /* the PMU has a cpumask: open the event only on `cpus`, with pid -1 */
	bool exclude_given; /* a modifier set u, k or h: do not add exclude bits */
	bool guest_given;   /* a modifier set G or H */
	bool merge;         /* the same event on several PMUs (uncore_x_0, uncore_x_1 ...): perf
	                     * stat prints the sum; `merge_first` is the index of the first one */
	bool hybrid;        /* those PMUs are kinds of cores: a task runs on one at a time, so that
	                     * their times are added */
	uint32_t merge_first;
	const uint32_t *cpus; /* cpumask or cpus of the PMU, ascending; NULL: any CPU */
	size_t nr_cpus;
	const char *unit;           /* "Joules", or "" */
	double scale;               /* count * scale is in `unit`, or 1 */
	enum tally_event_tool tool; /* if not NONE: do not open the event, the caller measures the
	                             * time */
	const char *place;          /* PMU of its counters in the table of the CPU; NULL: unknown */
	uint16_t counters;          /* bit N: generic counter N can count it */
	uint8_t fixed;              /* bit N: fixed counter N can count it */
	struct tally_event_terms terms;
};

/* The result of tally_events_parse(). */
struct tally_event_list {
	struct tally_event_spec *specs;
	size_t nr;
	uint32_t nr_groups;
	void *memory; /* private: owns all strings and arrays of the specs */
};

/*
 * Parse `len` bytes of perf's event syntax: lists, groups, modifiers (u k h G H p P D S W I e b),
 * generic, cache and raw events (rNNN), PMU terms, aliases, tracepoints with globs, breakpoints,
 * and events of the CPU's table, spelled as in the table, as in libpfm (clx::EVENT:UMASK) or as in
 * likwid (EVENT_UMASK:PMC0). On CPUs with several kinds of cores, an event of the cores becomes one
 * spec for each kind. The list does not refer to `events`; the caller frees it with
 * tally_event_list_free().
 *
 * Return 0; -EINVAL for bad syntax, a bad value or modifier; -ENOENT for an unknown event, PMU,
 * term or tracepoint; -EACCES if tracefs cannot be read; -E2BIG for more than 65,536 events or 1
 * MiB; -ENOMEM. `err` describes the problem.
 */
int tally_events_parse(struct tally_events *events, const char *text, size_t len,
		       struct tally_event_list **ret_list, struct tally_event_error *err);

/* Free the list. NULL is allowed. */
void tally_event_list_free(struct tally_event_list *list);

/* ---- listing events ------------------------------------------------------- */

/* Kinds of events. */
enum tally_event_kind {
	TALLY_EVENT_HARDWARE = 1 << 0,
	TALLY_EVENT_SOFTWARE = 1 << 1,
	TALLY_EVENT_CACHE = 1 << 2,
	TALLY_EVENT_PMU = 1 << 3, /* aliases in sysfs */
	TALLY_EVENT_RAW = 1 << 4, /* the forms rNNN and pmu/terms/, as patterns */
	TALLY_EVENT_BREAKPOINT = 1 << 5,
	TALLY_EVENT_TRACEPOINT = 1 << 6,
	TALLY_EVENT_TABLE = 1 << 7,  /* from the CPU's table */
	TALLY_EVENT_METRIC = 1 << 8, /* for -M */
	TALLY_EVENT_METRIC_GROUP = 1 << 9,
};

/* A description of one event. */
struct tally_event_info {
	enum tally_event_kind kind;
	const char *name;     /* can be parsed; a pattern for RAW and BREAKPOINT */
	const char *alias;    /* second spelling, or NULL */
	const char *pmu;      /* NULL for the generic types */
	const char *text;     /* description in one line, or NULL */
	const char *encoding; /* the terms of a PMU alias; otherwise NULL */
	const char *unit;     /* "" if there is none */
	uint32_t type;        /* attr.type; UINT32_MAX for patterns, metrics and absent PMUs */
	uint64_t config;      /* attr.config; 0 for PMU aliases, table events and patterns */
	/* Set for tables only; otherwise NULL or 0. */
	const char *topic;      /* "cache"; for a metric its groups, "Summary;TopdownL1" */
	const char *long_text;  /* NULL if there is none */
	const char *expression; /* of a metric */
	uint16_t counters;      /* generic counters that can count it; 0: any, or unknown */
	uint8_t fixed;          /* fixed counters that can count it */
	bool deprecated;
};

/* Receives one event; its strings are valid during the call. A result other than 0 ends the
 * listing. */
typedef int tally_event_visit_fn(const struct tally_event_info *info, void *data);

/* Call `visit` for all events of `kinds` (a mask of enum tally_event_kind) with a name or alias
 * that matches `glob`, in the order of the enum and then by name. `glob` NULL: all events. Without
 * wildcards it matches substrings, for tables also in topics, groups and descriptions. Hardware and
 * cache events are those that perf knows; whether a PMU can count them is only known when they are
 * opened. Tracepoints are skipped silently if tracefs is not available (see
 * tally_events_tracefs()). Return 0, -ENOMEM, or the result of `visit`. */
int tally_events_each(struct tally_events *events, unsigned kinds, const char *glob,
		      tally_event_visit_fn *visit, void *data);

/* ---- counters -------------------------------------------------------------- */

/* Counters of a PMU: bit N is counter N. */
struct tally_event_counters {
	uint16_t generic;
	uint8_t fixed;
};

/* Return the counters of a core, from the table of the CPU, or else the minimum of its
 * architecture. Return 0 or an error of tally_events_table_get(). */
int tally_events_counters(struct tally_events *events, struct tally_event_counters *ret_counters);

/* Return the counters among `all` that can count an event. Both masks are empty if it needs none,
 * like a software event. */
struct tally_event_counters tally_event_counters_of(const struct tally_events *events,
						    const struct tally_event_spec *spec,
						    struct tally_event_counters all);

/* Return true if events with these needs can be on the counters `all` at the same time. Pure. */
bool tally_event_counters_fit(const struct tally_event_counters *needs, size_t nr,
			      struct tally_event_counters all);

/* ---- metrics ----------------------------------------------------------------- */

/* A compiled metric expression. */
struct tally_formula;

/* Options of tally_metrics_parse(). */
enum tally_metrics_flag {
	TALLY_METRICS_NO_GROUP = 1,     /* do not group the events of a metric */
	TALLY_METRICS_NO_MERGE = 2,     /* do not share a group between metrics */
	TALLY_METRICS_NMI_WATCHDOG = 4, /* the kernel uses one counter itself */
	TALLY_METRICS_THRESHOLDS = 8,   /* include the metrics that thresholds refer to */
};

/* A metric, which is computed from the counts of events. */
struct tally_metric {
	const char *name; /* "ipc" */
	const char *pmu;  /* kind of core that it applies to; NULL if there is one kind */
	const char *text; /* description in one line, or "" */
	const char *unit; /* "per cycle", "%", or "" */
	double scale;     /* factor from the value of `expression` to `unit` */
	const char *expression;
	const char *threshold;  /* over metrics: true if the value deserves attention; "" */
	const char *groups;     /* "TopdownL2;tma_backend_bound_group", or "" */
	bool hidden;            /* was not requested, but a threshold refers to it */
	const uint32_t *events; /* indices of the specs that it uses, ascending */
	size_t nr_events;
	bool together; /* its events are in one group: counted at the same time */
	/* Private. */
	const struct tally_formula *formula;
	const uint32_t *places;
};

/* The result of tally_metrics_parse(). */
struct tally_metric_list {
	struct tally_event_list *events; /* the events to open, in groups that fit the counters */
	struct tally_metric *metrics;
	size_t nr;
	void *memory; /* private */
};

/*
 * Parse a comma-separated list of metrics and metric groups; case does not matter. On CPUs with
 * several kinds of cores, a metric appears once for each kind that has it. `flags` is a mask of
 * enum tally_metrics_flag. The caller frees the list with tally_metric_list_free(). Return 0;
 * -ENOENT if there is no such metric or group; -EINVAL if one cannot be computed here; -ENOMEM; or
 * an error of tally_events_table_get(). `err` describes the problem.
 */
int tally_metrics_parse(struct tally_events *events, const char *text, size_t len, unsigned flags,
			struct tally_metric_list **ret_list, struct tally_event_error *err);

/* Free the list and its events. NULL is allowed. */
void tally_metric_list_free(struct tally_metric_list *list);

/* Return the count of spec `event` of the list, in its own unit (ns for times), or NaN. */
typedef double tally_metric_count_fn(void *data, uint32_t event);

/* Compute the value of a metric from counts, in its unit. The value is NaN or infinite after a
 * division by zero. Return 0 or -ENOMEM. */
int tally_metric_evaluate(const struct tally_metric_list *list, const struct tally_metric *metric,
			  tally_metric_count_fn *count, void *data, double *ret_value);

/* The result of comparing a metric with its threshold. */
enum tally_threshold {
	TALLY_THRESHOLD_UNKNOWN, /* there is no threshold, or it needs a metric that is not in the
	                          * list or has no value */
	TALLY_THRESHOLD_MET,
	TALLY_THRESHOLD_EXCEEDED, /* the value deserves attention */
};

/* Check whether a metric exceeds its threshold for these counts. Return 0 or -ENOMEM. */
int tally_metric_threshold(const struct tally_metric_list *list, const struct tally_metric *metric,
			   tally_metric_count_fn *count, void *data,
			   enum tally_threshold *ret_threshold);

/* Find the bottleneck by top-down analysis. Begin with the largest metric of the first level that
 * exceeds its threshold, continue with the largest one among its parts, and go as deep as the list
 * does. `pmu` selects the kind of core (NULL: the only kind). `*ret_metric` is NULL if no metric
 * exceeds its threshold. Return 0 or -ENOMEM. */
int tally_metric_bottleneck(const struct tally_metric_list *list, const char *pmu,
			    tally_metric_count_fn *count, void *data,
			    const struct tally_metric **ret_metric);

/* ---- naming attrs ---------------------------------------------------------- */

/* Append the name that perf prints for an attr without a name: "cycles:u", "L1-dcache-load-misses",
 * "raw 0x1a8", "mem:0x1234:rw", "unknown tracepoint". Pure; an allocation failure is recorded in
 * `out`. */
void tally_event_name(const struct perf_event_attr *attr, struct tally_str *out);

/* ---- tracepoint formats ---------------------------------------------------- */

/* A field of a tracepoint. */
struct tally_tp_field {
	const char *name;
	const char *type;      /* as written, without the name: "unsigned long", "char[16]" */
	uint32_t offset, size; /* of the field in the payload, in bytes */
	uint32_t elements;     /* of a fixed array; otherwise 1 */
	uint32_t element_size; /* bytes of an element; for dynamic arrays that of the type, 1 if
		               * unknown */
	bool is_signed;
	bool is_array;
	bool is_string;   /* an array of char, fixed or dynamic */
	bool is_dynamic;  /* __data_loc or __rel_loc: the field contains the location of the data */
	bool is_relative; /* __rel_loc: relative to the end of the field */
	bool is_pointer;
};

/* A parsed `format` file. */
struct tally_tp_format {
	const char *name;
	uint32_t id;
	size_t nr_common; /* the first fields are common to all tracepoints */
	size_t nr_fields; /* number of all fields */
	const struct tally_tp_field *fields;
	const char *print_fmt; /* the text after "print fmt: ", or "" */
	void *memory;          /* private */
};

/* Parse a `format` file of tracefs. The caller frees the format with tally_tp_format_free(). Return
 * 0; -EINVAL with reason and offset if it has no name, a field without offset or size, or more than
 * 1,024 fields; -ENOMEM. */
int tally_tp_format_parse(const void *bytes, size_t len, struct tally_tp_format **ret_format,
			  struct tally_error *err);

/* Free the format. NULL is allowed. */
void tally_tp_format_free(struct tally_tp_format *format);

/* Return the field with this name, common or not, or NULL. */
const struct tally_tp_field *tally_tp_format_find(const struct tally_tp_format *format,
						  const char *name);

/* A payload (PERF_SAMPLE_RAW without its size word) in the byte order of the machine that wrote it.
 */
struct tally_tp_raw {
	const uint8_t *data;
	size_t len;
	bool swap; /* the byte order is not that of this machine */
};

/* Read an integer or pointer field, sign-extended if it is signed. For a dynamic field, read the
 * location word. Return 0; -EINVAL if its size is not 1, 2, 4 or 8; -ERANGE if it is outside the
 * payload. */
int tally_tp_field_u64(const struct tally_tp_field *field, const struct tally_tp_raw *raw,
		       uint64_t *ret_value);

/* Find the bytes of a field; for a dynamic field those that it refers to. They point into the
 * payload. A string may lack its NUL. Return 0, or -ERANGE if they are outside the payload. */
int tally_tp_field_bytes(const struct tally_tp_field *field, const struct tally_tp_raw *raw,
			 const uint8_t **ret_bytes, size_t *ret_len);

/* ---- printing tracepoint payloads ----------------------------------------- */

/* A compiled print fmt. It is constant, and may be used by several threads. */
struct tally_tp_print;

/* Properties of the machine that wrote the payloads. */
struct tally_tp_target {
	uint8_t long_size; /* 4 or 8 */
	bool swap;         /* its byte order is not that of this machine */
	bool big_endian;
	bool beyond_perf; /* also accept sizeof, %c, %+d and the _u64 tables, which perf script
	                   * prints wrongly or as [FAILED TO PARSE] */
};

/* Compile the print fmt of `format`, which may be freed afterwards. The output is byte for byte
 * that of perf script (libtraceevent 1.7), even where C differs: values are not sign-extended,
 * operators of equal precedence group from the right, and unknown names are 0. The caller frees the
 * program with tally_tp_print_free().
 *
 * Return 0; -EOPNOTSUPP with reason and offset in print_fmt if it uses a construct that is not
 * supported; -EINVAL if it is not a print fmt; -ENOMEM. After -EOPNOTSUPP, use libtraceevent, or
 * print "[FAILED TO PARSE]" and the fields, as perf does in most of these cases. */
int tally_tp_print_compile(const struct tally_tp_format *format,
			   const struct tally_tp_target *target, struct tally_tp_print **ret_print,
			   struct tally_error *err);

/* Free the program. NULL is allowed. */
void tally_tp_print_free(struct tally_tp_print *print);

/* Return the name of the kernel function at `addr`, and its start in `*ret_start`, or NULL. The
 * string is valid until the next call. */
typedef const char *tally_tp_resolve_fn(uint64_t addr, uint64_t *ret_start, void *data);

/* Callbacks and limits of a print program. If it is NULL, addresses are printed in hex. */
struct tally_tp_env {
	tally_tp_resolve_fn *resolve; /* for %pS, %ps, %pF, %pf; NULL: print hex */
	void *data;
	size_t max_len; /* maximum bytes of a text, which is truncated there; 0: no limit. Literals,
	                 * delimiters and names of a format can have any length, and are repeated
	                 * for each payload */
};

/* Append the text of one payload, without a newline, as in the `trace` field of perf script. Memory
 * is allocated only to grow `out`; a failure is recorded there. Return 0; -ERANGE if the payload is
 * shorter than its fields require (the text up to there is appended); -E2BIG if the text was
 * truncated at `env->max_len`, after which no more work is done. */
int tally_tp_print_run(const struct tally_tp_print *print, const uint8_t *data, size_t len,
		       const struct tally_tp_env *env, struct tally_str *out);

/* Append all fields of the tracepoint itself as " name=value", as perf script does after "[FAILED
 * TO PARSE]". Fields outside the payload, or without integer size, have no value. `env` may be
 * NULL; only its max_len is used. Return 0, or -E2BIG if the text was truncated there. */
int tally_tp_print_fields(const struct tally_tp_format *format, const struct tally_tp_raw *raw,
			  const struct tally_tp_env *env, struct tally_str *out);

#ifdef __cplusplus
}
#endif

#endif
