/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parse event strings into attrs, name attrs, and print tracepoint payloads.
 *
 * Functions that return int return 0 or a negative errno unless stated otherwise; `ret_` pointers
 * are untouched on failure. Error objects may be NULL; free functions accept NULL. No function
 * prints anything or opens a perf event.
 *
 * Threads: a context, a list or a format may be used by one thread at a time; different objects are
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
#include "tally/texts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the context: the kernel's description of its events ----------------- */

struct tally_events;

/* Create a context. `sysfs` is the directory that contains bus/event_source/devices, or NULL for
 * /sys. `tracefs` is the directory that contains events/, or NULL for /sys/kernel/tracing with
 * /sys/kernel/debug/tracing as fallback. Files are read when they are needed; data read about a PMU
 * is cached. Return 0 or -ENOMEM. */
int tally_events_new(const char *sysfs, const char *tracefs, struct tally_events **ret_events);

/* Free the context. Lists parsed with it stay valid. NULL is allowed. */
void tally_events_free(struct tally_events *events);

/* An error in an event string: its reason, its position, and a fix. Plain data without pointers to
 * free. */
struct tally_event_error {
	int code;         /* the -errno that was returned; 0 if there was no error */
	const char *text; /* constant; lower case, no full stop */
	size_t offset;    /* offset of the problem in the whole string */
	char slice[64];   /* the offending text, truncated to fit */
	unsigned nr_near; /* number of known names similar to `slice`, best match first */
	char near[5][64];
	char fix[256]; /* how to fix the problem; "" if unknown */
};

/* Find the tracefs directory. `*ret_root` belongs to `events`. Return 0; -ENOENT if tracefs is not
 * mounted; -EACCES if it cannot be read; `err` then contains the fix. */
int tally_events_tracefs(struct tally_events *events, const char **ret_root,
			 struct tally_event_error *err);

/* ---- tables: names and metrics of CPU events -------------------------------- */

/* A problem in a table file. The strings are valid only during the callback. */
struct tally_events_diagnostic {
	bool error;            /* if false, a warning */
	const char *path;      /* path to the table file */
	uint32_t line, column; /* counted from 1; 0 if the problem concerns the whole file */
	const char *what, *why;
};

/* Callback that receives problems in table files. `data` is the pointer passed to
 * tally_events_set_tables(). */
typedef void tally_events_diagnostic_fn(const struct tally_events_diagnostic *diagnostic,
					void *data);

/* Read events and metrics from `path` instead of the built-in tables: a tree like pmu-events/arch,
 * a directory of JSON files, or a single file in Linux's or Intel's format. `diagnostic` may be
 * NULL. The files are read when they are first needed; the function that reads them can then return
 * the errors of tally_events_table_get(). Return 0 or -ENOMEM. */
int tally_events_set_tables(struct tally_events *events, const char *path,
			    tally_events_diagnostic_fn *diagnostic, void *data);

/* The CPU to which event names refer. */
enum tally_events_cpu {
	/* This machine, but with another CPU ID, as with PERF_CPUID; "" disables the tables. */
	TALLY_CPU_THIS,
	TALLY_CPU_OTHER, /* another machine; its architecture, not sysfs, defines the PMUs */
};

/* Use the tables of another CPU. `cpuid` is a CPU ID as in mapfile.csv, such as
 * "GenuineIntel-6-8F-8"; with TALLY_CPU_OTHER it may also be the name of a table, such as
 * "silvermont". Must be called before anything is parsed. Return 0 or -ENOMEM. */
int tally_events_set_cpu(struct tally_events *events, enum tally_events_cpu whose,
			 const char *cpuid);

/* Count the events of metrics only on this PMU, if it is one of several PMUs that have the event.
 * NULL removes the restriction. Return 0 or -ENOMEM. */
int tally_events_set_metric_pmu(struct tally_events *events, const char *pmu);

/* The event table in use. */
struct tally_events_table {
	const char *cpuid;       /* "" if the machine does not provide it */
	const char *arch, *name; /* "x86", "silvermont"; name is "" if there is no table */
	bool architectural;      /* the CPU has no table; only its architecture's events exist */
	bool other;              /* the table is for another machine */
	uint32_t nr_events, nr_metrics;
};

/* Read the tables if necessary, and describe the table in use. The strings are valid as long as
 * `events`. Return 0, even if there is no table; -ENOENT if the path does not exist; -EINVAL if its
 * content is invalid; -EFBIG; -E2BIG; -ENOMEM; or the error from open(2). */
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
	TALLY_TERM_CPU = 1 << 15,
};

/* Times that perf stat measures itself, and facts of the machine. The event's attr is the dummy
 * software event. */
enum tally_event_tool {
	TALLY_TOOL_NONE = 0,
	TALLY_TOOL_DURATION_TIME = 1, /* wall time of the run, ns */
	TALLY_TOOL_USER_TIME = 2,     /* user time of the command, ns */
	TALLY_TOOL_SYSTEM_TIME = 3,
	/* The values of these are those of tally_tool_value(). */
	TALLY_TOOL_NUM_CPUS = 4, /* present, including CPUs that are offline */
	TALLY_TOOL_NUM_CPUS_ONLINE = 5,
	TALLY_TOOL_NUM_CORES = 6,
	TALLY_TOOL_NUM_DIES = 7,
	TALLY_TOOL_NUM_PACKAGES = 8,
	TALLY_TOOL_SMT_ON = 9,           /* 1 if cores run several threads, else 0 */
	TALLY_TOOL_SYSTEM_TSC_FREQ = 10, /* Hz */
	TALLY_TOOL_HAS_PMEM = 11,        /* 1 if there is persistent memory, else 0 */
	TALLY_TOOL_SENSOR = 12,          /* of hwmon, read by tally_sensor_value() */
};

/* Return true if the event is a time in ns, not a fact of the machine. */
static inline bool tally_tool_is_time(enum tally_event_tool tool)
{
	return tool >= TALLY_TOOL_DURATION_TIME && tool <= TALLY_TOOL_SYSTEM_TIME;
}

/* Per-event settings. A setting overrides the command line if its bit in `given` is set. */
struct tally_event_terms {
	uint32_t given;        /* mask of enum tally_event_term */
	uint64_t period, freq; /* also in attr.sample_period, or sample_freq with attr.freq */
	bool time;             /* time=0|1: record timestamps */
	bool inherit;          /* inherit, no-inherit */
	bool overwrite;        /* overwrite, no-overwrite */
	bool percore, aux_output;
	uint32_t max_stack;  /* max-stack=N */
	uint32_t max_events; /* nr=N: stop after N samples */
	uint32_t stack_size; /* stack-size=N bytes, for call-graph=dwarf */
	uint32_t aux_sample_size;
	const char *call_graph;  /* as written: fp, dwarf, lbr, no, caller ... */
	const char *branch_type; /* value of branch_type= as written, such as any,u */
	const char *cpus;        /* cpu=LIST|PMU: CPUs, as a list */
	const char *driver;      /* @name[=value] terms without the @, joined by commas */
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
	const char *group_name; /* the name in `name{a,b}`, or NULL */
	uint32_t group;         /* group number, from 0; an event outside braces is its own group */
	uint32_t leader;        /* index of the group's first member in the list */
	uint32_t nr_members;    /* group size, 1 outside braces */
	bool in_braces;
	bool weak_group;  /* W: open the members separately if the group cannot be scheduled */
	bool sample_read; /* S: the leader samples and reads the other members */
	/* P: use the highest precise_ip that can be opened. attr.precise_ip is the PMU's
	 * caps/max_precise, or 3 if unknown. */
	bool precise_max;
	bool per_package;   /* events/NAME.per-pkg exists */
	bool snapshot;      /* events/NAME.snapshot exists: the value is a state, not a count */
	bool uncore;        /* the PMU has a cpumask: open the event only on `cpus`, with pid -1 */
	bool exclude_given; /* a modifier set u, k or h: do not add exclude bits */
	bool guest_given;   /* a modifier set G or H */
	/* The same event exists on several PMUs (uncore_x_0, uncore_x_1 ...), and perf stat prints
	 * the sum. `merge_first` is the index of the first of these events. */
	bool merge;
	/* The merged PMUs belong to different kinds of cores. A task runs on one kind at a time, so
	 * the events' running times are added, but their enabled times are not. */
	bool hybrid;
	uint32_t merge_first;
	/* CPUs on which to open the event, ascending: those of the term cpu=, or the PMU's cpumask
	 * or cpus; NULL for any CPU. */
	const uint32_t *cpus;
	size_t nr_cpus;
	const char *unit; /* "Joules", or "" */
	double scale;     /* conversion factor from the count to `unit`, or 1 */
	/* If not NONE, do not open the event; the caller measures the time. */
	enum tally_event_tool tool;
	const char *file;  /* file with the value of a sensor, or NULL */
	const char *place; /* the event's PMU according to the table, or NULL */
	uint16_t counters; /* bit N: generic counter N can count the event */
	uint8_t fixed;     /* bit N: fixed counter N can count the event */
	struct tally_event_terms terms;
};

/* Get the value of a fact of the machine. Return 0, or -ENODATA if it is unknown, or if `tool` is a
 * time. */
int tally_tool_value(struct tally_events *events, enum tally_event_tool tool, uint64_t *ret_value);

/* Read a sensor. `scale` converts the value to `unit`. Return 0; -EINVAL if the file does not
 * contain a number; or the error from reading the file. */
int tally_sensor_value(const struct tally_event_spec *spec, int64_t *ret_value);

/* Make `nr` specs a single group, led by the first. The specs must be an array with `stride` bytes
 * from one to the next. */
void tally_event_specs_group(struct tally_event_spec *first, size_t nr, size_t stride);

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
 * likwid (EVENT_UMASK:PMC0). On CPUs with several kinds of cores, a core event becomes one spec for
 * each kind. The list does not refer to `events`; the caller frees it with tally_event_list_free().
 *
 * Return 0; -EINVAL for bad syntax, or a bad value or modifier; -ENOENT for an unknown event, PMU,
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
	TALLY_EVENT_METRIC = 1 << 8, /* metrics, as for -M */
	TALLY_EVENT_METRIC_GROUP = 1 << 9,
};

/* A description of one event. */
struct tally_event_info {
	enum tally_event_kind kind;
	const char *name;     /* name that can be parsed, or a pattern for RAW and BREAKPOINT */
	const char *alias;    /* alternative name, or NULL */
	const char *pmu;      /* NULL for the generic types */
	const char *text;     /* one-line description, or NULL */
	const char *encoding; /* the terms of a PMU alias; otherwise NULL */
	const char *unit;     /* "" if there is none */
	uint32_t type;        /* attr.type; UINT32_MAX for patterns, metrics and absent PMUs */
	uint64_t config;      /* attr.config; 0 for PMU aliases, table events and patterns */
	/* Set only for events from tables; otherwise NULL or 0. */
	const char *topic;      /* such as "cache"; metrics: groups, "Summary;TopdownL1" */
	const char *long_text;  /* NULL if there is none */
	const char *expression; /* a metric's formula */
	uint16_t counters;      /* generic counters for the event; 0 if any or unknown */
	uint8_t fixed;          /* fixed counters for the event */
	bool deprecated;
};

/* Callback that receives one event. The event's strings are valid only during the callback. A
 * nonzero result ends the listing. */
typedef int tally_event_visit_fn(const struct tally_event_info *info, void *data);

/* Call `visit` for all events of `kinds` (a mask of enum tally_event_kind) with a name or alias
 * that matches `glob`, in the order of the enum and then by name. If `glob` is NULL, all events
 * match. A glob without wildcards and ':' matches substrings; for tables, it also matches topics,
 * groups and descriptions. All hardware and cache events that perf knows are listed, even if no PMU
 * can count them. Tracepoints are skipped silently if tracefs is not available (see
 * tally_events_tracefs()). Return 0, -ENOMEM, or the result of `visit`. */
int tally_events_each(struct tally_events *events, unsigned kinds, const char *glob,
		      tally_event_visit_fn *visit, void *data);

/* ---- counters -------------------------------------------------------------- */

/* Counters of a PMU: bit N is counter N. */
struct tally_event_counters {
	uint16_t generic;
	uint8_t fixed;
};

/* Get a core's counters from the CPU's table or, if there is no table, the minimum that the
 * architecture guarantees. Return 0 or an error from tally_events_table_get(). */
int tally_events_counters(struct tally_events *events, struct tally_event_counters *ret_counters);

/* Return the counters among `all` that can count an event. Both masks are empty for an event that
 * does not need a counter, such as a software event. */
struct tally_event_counters tally_event_counters_of(const struct tally_events *events,
						    const struct tally_event_spec *spec,
						    struct tally_event_counters all);

/* Return true if the counters in `all` can count events with these needs at the same time. Pure. */
bool tally_event_counters_fit(const struct tally_event_counters *needs, size_t nr,
			      struct tally_event_counters all);

/* ---- metrics ----------------------------------------------------------------- */

/* A compiled metric expression. */
struct tally_formula;

/* Options of tally_metrics_parse(). */
enum tally_metrics_flag {
	TALLY_METRICS_NO_GROUP = 1,     /* do not group a metric's events */
	TALLY_METRICS_NO_MERGE = 2,     /* do not share a group between metrics */
	TALLY_METRICS_NMI_WATCHDOG = 4, /* the kernel uses one counter itself */
	TALLY_METRICS_THRESHOLDS = 8,   /* include the metrics that thresholds refer to */
};

/* A metric, which is computed from the counts of events. */
struct tally_metric {
	const char *name; /* "ipc" */
	const char *pmu;  /* kind of core to which it applies; NULL if there is only one */
	const char *text; /* one-line description, or "" */
	const char *unit; /* "per cycle", "%", or "" */
	double scale;     /* conversion factor from the value of `expression` to `unit` */
	const char *expression;
	const char *threshold;  /* expression; true if the value deserves attention; "" if none */
	const char *groups;     /* such as "TopdownL2;tma_backend_bound_group", or "" */
	bool hidden;            /* was not requested, but a threshold refers to it */
	const uint32_t *events; /* indices of the specs that the metric uses, ascending */
	size_t nr_events;
	bool together; /* the metric's events are in one group, counted at the same time */
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
 * -ENOENT if a metric or group does not exist; -EINVAL if a metric cannot be computed, for example
 * because an event is not available; -ENOMEM; or an error from tally_events_table_get(). `err`
 * describes the problem.
 */
int tally_metrics_parse(struct tally_events *events, const char *text, size_t len, unsigned flags,
			struct tally_metric_list **ret_list, struct tally_event_error *err);

/* Free the list and its events. NULL is allowed. */
void tally_metric_list_free(struct tally_metric_list *list);

/* Return the count of the spec at index `event` in the list, in the spec's unit (ns for times), or
 * NaN. */
typedef double tally_metric_count_fn(void *data, uint32_t event);

/* Compute the value of a metric from counts, in the metric's unit. The value is NaN or infinite
 * after a division by zero. Return 0 or -ENOMEM. */
int tally_metric_evaluate(const struct tally_metric_list *list, const struct tally_metric *metric,
			  tally_metric_count_fn *count, void *data, double *ret_value);

/* The result of comparing a metric with its threshold. */
enum tally_threshold {
	TALLY_THRESHOLD_UNKNOWN, /* there is no threshold, or it needs a metric that is not in the
	                          * list or has no value */
	TALLY_THRESHOLD_MET,
	TALLY_THRESHOLD_EXCEEDED, /* the value deserves attention */
};

/* Check whether a metric exceeds its threshold for the given counts. Return 0 or -ENOMEM. */
int tally_metric_threshold(const struct tally_metric_list *list, const struct tally_metric *metric,
			   tally_metric_count_fn *count, void *data,
			   enum tally_threshold *ret_threshold);

/* Find the bottleneck by top-down analysis. Begin with the largest first-level metric that exceeds
 * its threshold, continue with the largest metric of its subgroup that exceeds its threshold, and
 * descend as far as the list allows. `pmu` selects the kind of core (NULL if there is only one
 * kind). `*ret_metric` is NULL if no metric exceeds its threshold. Return 0 or -ENOMEM. */
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
	const char *type;      /* as written, without the name; "unsigned long", "char[16]" */
	uint32_t offset, size; /* location in the payload, in bytes */
	uint32_t elements;     /* length of a fixed array; otherwise 1 */
	uint32_t element_size; /* in bytes; for dynamic arrays the size of the type, 1 if unknown */
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
	size_t nr_common; /* number of leading fields that all tracepoints have */
	size_t nr_fields; /* total number of fields */
	const struct tally_tp_field *fields;
	const char *print_fmt; /* the text after "print fmt: ", or "" */
	void *memory;          /* private */
};

/* Parse a tracefs `format` file. The caller frees the format with tally_tp_format_free(). Return 0;
 * -EINVAL, with the reason and the offset, if the format has no name or has more than 1,024 fields,
 * or if a field has no offset or no size; -ENOMEM. */
int tally_tp_format_parse(const void *bytes, size_t len, struct tally_tp_format **ret_format,
			  struct tally_error *err);

/* Free the format. NULL is allowed. */
void tally_tp_format_free(struct tally_tp_format *format);

/* Return the field with this name, whether common or not, or NULL if there is no such field. */
const struct tally_tp_field *tally_tp_format_find(const struct tally_tp_format *format,
						  const char *name);

/* A payload (PERF_SAMPLE_RAW without its size word) in the byte order of the machine that wrote it.
 */
struct tally_tp_raw {
	const uint8_t *data;
	size_t len;
	bool swap; /* the byte order differs from this machine's */
};

/* Read an integer or pointer field, with sign extension if the field is signed. For a dynamic
 * field, read the location word. Return 0; -EINVAL if the field's size is not 1, 2, 4 or 8; -ERANGE
 * if the field is outside the payload. */
int tally_tp_field_u64(const struct tally_tp_field *field, const struct tally_tp_raw *raw,
		       uint64_t *ret_value);

/* Find the bytes of a field or, for a dynamic field, the bytes that it refers to. `*ret_bytes`
 * points into the payload. A string may lack its NUL. Return 0, or -ERANGE if the bytes are outside
 * the payload. */
int tally_tp_field_bytes(const struct tally_tp_field *field, const struct tally_tp_raw *raw,
			 const uint8_t **ret_bytes, size_t *ret_len);

/* ---- printing tracepoint payloads ----------------------------------------- */

/* A compiled print fmt. It is constant, and may be used by several threads. */
struct tally_tp_print;

/* Properties of the machine that wrote the payloads. */
struct tally_tp_target {
	uint8_t long_size; /* 4 or 8 */
	bool swap;         /* the byte order differs from this machine's */
	bool big_endian;
	bool beyond_perf; /* also accept sizeof, %c, %+d and the _u64 tables, which perf script
	                   * prints wrongly or as [FAILED TO PARSE] */
};

/*
 * Compile the print fmt of `format`, which may be freed afterwards. The output is byte for byte the
 * same as perf script's (libtraceevent 1.7), even where C differs: values are not sign-extended,
 * operators of equal precedence group from the right, and unknown names are 0. The caller frees the
 * program with tally_tp_print_free().
 *
 * Return 0; -EOPNOTSUPP, with the reason and the offset in print_fmt, if print_fmt uses an
 * unsupported construct; -EINVAL if print_fmt is not a print fmt; -ENOMEM. After -EOPNOTSUPP, use
 * libtraceevent, or print "[FAILED TO PARSE]" and the fields, as perf does in most of these cases.
 */
int tally_tp_print_compile(const struct tally_tp_format *format,
			   const struct tally_tp_target *target, struct tally_tp_print **ret_print,
			   struct tally_error *err);

/* Free the program. NULL is allowed. */
void tally_tp_print_free(struct tally_tp_print *print);

/* Return the name of the kernel function at `addr`, with the function's start in `*ret_start`, or
 * NULL if unknown. The string is valid until the next call. */
typedef const char *tally_tp_resolve_fn(uint64_t addr, uint64_t *ret_start, void *data);

/* Callbacks and limits of a print program. Without a struct tally_tp_env (NULL), addresses are
 * printed in hex. */
struct tally_tp_env {
	tally_tp_resolve_fn *resolve; /* for %pS, %ps, %pF, %pf; NULL to print hex */
	void *data;
	/* Maximum length of a payload's text in bytes, or 0 for no limit. Longer text is truncated.
	 * Literals, delimiters and names in a format can have any length, and are repeated for each
	 * payload. */
	size_t max_len;
};

/* Append the text of one payload, without a newline, as in the `trace` field of perf script. Memory
 * is allocated only to grow `out`; a failure is recorded in `out`. Return 0; -ERANGE if the payload
 * is shorter than its fields require (the text up to that point is appended); -E2BIG if the text
 * was truncated at `env->max_len`, after which no more work is done. */
int tally_tp_print_run(const struct tally_tp_print *print, const uint8_t *data, size_t len,
		       const struct tally_tp_env *env, struct tally_str *out);

/* Append all of the tracepoint's own (not common) fields as " name=value", as perf script does
 * after "[FAILED TO PARSE]". Fields that are outside the payload or do not have an integer size
 * have no value. `env` may be NULL; only its max_len is used. Return 0, or -E2BIG if the text was
 * truncated at max_len. */
int tally_tp_print_fields(const struct tally_tp_format *format, const struct tally_tp_raw *raw,
			  const struct tally_tp_env *env, struct tally_str *out);

#ifdef __cplusplus
}
#endif

#endif
