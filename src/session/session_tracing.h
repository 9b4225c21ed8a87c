/* SPDX-License-Identifier: BSD-2-Clause */
/* Format a recording's tracepoint payloads, using the formats stored in the recording. */
#ifndef TALLY_SESSION_TRACING_H
#define TALLY_SESSION_TRACING_H

#include "base/str.h"
#include "session/session.h"
#include "tally/events.h"

struct tally_tracing;

/* Limit for the text generated from a payload: a constant plus a multiple of the payload's size. No
 * ordinary print format needs more, but a malicious format could turn a small file into gigabytes
 * of text. */
enum { TALLY_TRACE_TEXT_MAX = 4096, TALLY_TRACE_TEXT_PER_BYTE = 8 };

/* Use the formats in the session's file. Returns 0, -ENOENT if the file has no formats, or
 * -ENOMEM. */
int tally_tracing_new(struct tally_session *session, struct tally_tracing **ret_tracing);
void tally_tracing_free(struct tally_tracing *tracing);

/* Return a tracepoint's parsed format. If several formats have the same ID, the first one is used.
 * The format is valid until `tracing` is freed. Returns NULL if there is no format, the format
 * cannot be parsed, or memory runs out, which tally_tracing_print() reports. */
const struct tally_tp_format *tally_tracing_format(struct tally_tracing *tracing,
						   const struct perf_event_attr *attr);

/* Append the payload as text, using the print format, or field by field if the print format cannot
 * be compiled. Appends nothing if the event has no format. Text beyond the limit is truncated; the
 * first truncation causes a warning. */
void tally_tracing_print(struct tally_tracing *tracing, const struct perf_event_attr *attr,
			 const struct tally_sample *sample, struct tally_str *out);

/* Append all of the payload's own fields as " name=value". Appends nothing if the event has no
 * format. Text beyond the limit is truncated; the first truncation causes a warning. */
void tally_tracing_print_fields(struct tally_tracing *tracing, const struct perf_event_attr *attr,
				const struct tally_sample *sample, struct tally_str *out);

/* Return true if the event has a field with this name. */
bool tally_tracing_has_field(struct tally_tracing *tracing, const struct perf_event_attr *attr,
			     const char *name);

/* Append the value of one field: as in perf, the value that the print format shows as "name=value",
 * or the field itself if there is none or `is_raw` is set. Returns false, and appends nothing, if
 * the event does not have the field. */
bool tally_tracing_print_field(struct tally_tracing *tracing, const struct perf_event_attr *attr,
			       const struct tally_sample *sample, const char *name, bool is_raw,
			       struct tally_str *out);

#endif
