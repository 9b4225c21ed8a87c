/* SPDX-License-Identifier: BSD-2-Clause */
/* Base of the reports that perf has as scripts: reads a recording and passes its samples to the
 * handlers of a report. */
#ifndef TALLY_CLI_SCRIPT_TRACE_REPORT_H
#define TALLY_CLI_SCRIPT_TRACE_REPORT_H

#include <stdbool.h>

#include "base/str.h"
#include "cli/main/recordings.h"
#include "session/session_tracing.h"

/* A report being made. `state` is of the report's own type, initially all zero. */
struct trace_report {
	const struct trace_report_kind *kind;
	struct tally_session *session;
	struct tally_tracing *tracing;
	void *state;
	uint64_t used;    /* samples of the events that the report counts */
	uint64_t damaged; /* samples of these events that lack fields; they are not counted */
	/* The current sample. The first two are set only for tracepoints. */
	const struct tally_tp_format *format;
	struct tally_tp_raw raw;
	const struct tally_feed_sample *sample;
};

struct trace_handler {
	const char *event; /* "system:name"; the system is only needed to record */
	int (*handle)(struct trace_report *report);
	const char *fields; /* that each sample must have, separated by spaces */
};

struct trace_report_kind {
	const char *name, *about;
	const char *usage;                    /* its arguments, or "" */
	const struct trace_handler *handlers; /* ends with an event of NULL */
	/* Command and options that record, ending with NULL; NULL for the handlers' events. */
	const char *const *record;
	const void *detail; /* for the report */
	size_t state_size;
	int max_args;
	const char *flags; /* arguments that begin with a dash: " -a -b ", or NULL */
	/* Read the arguments. Returns 0; 1 to end with success; or -errno after printing an error.
	 * May be NULL. */
	int (*start)(struct trace_report *report, int nr, char **args);
	/* Handle a sample of any event, and count it in `used`; instead of `handlers`. */
	int (*sample)(struct trace_report *report);
	/* Append the report; an allocation failure is left in `out`. */
	void (*print)(struct trace_report *report, struct tally_str *out);
	void (*free)(void *state); /* may be NULL */
};

struct trace_arguments {
	const struct trace_report_kind *kind; /* NULL if there is no report */
	TALLY_VEC(char *) words;
};

/* Read the recording and print the report. Returns 0, or -errno after printing an error. */
int trace_report_run(const struct trace_arguments *arguments,
		     const struct tally_recording_options *options);

/* Return a field of the current tracepoint as a number; 0 if it is missing. */
uint64_t trace_report_field(const struct trace_report *report, const char *name);

/* Append a field's text, or the thread's name, escaped and cut after 64 bytes. */
void trace_report_add_text(const struct trace_report *report, const char *name,
			   struct tally_str *out);
void trace_report_add_comm(const struct trace_report *report, struct tally_str *out);

#endif
