/* SPDX-License-Identifier: BSD-2-Clause */
/* Format tracepoint payloads of a recording, using the formats stored in it. */
#ifndef TALLY_CLI_RECORDING_TRACING_H
#define TALLY_CLI_RECORDING_TRACING_H

#include "base/str.h"
#include "cli/recording/session.h"
#include "tally/events.h"

struct tally_tracing;

/* Limit of the text made from a payload: a constant, plus a factor for each byte of the payload. No
 * ordinary print format needs more; a malicious one could turn a small file into gigabytes of text.
 */
enum { TALLY_TRACE_TEXT_MAX = 4096, TALLY_TRACE_TEXT_PER_BYTE = 8 };

/* Use the formats in the session's file. Returns 0; -ENOENT if it has none; -ENOMEM. */
int tally_tracing_new(struct tally_session *session, struct tally_tracing **ret_tracing);
void tally_tracing_free(struct tally_tracing *tracing);

/* Return the parsed format of a tracepoint; if several have the same ID, the first. It is valid
 * until `tracing` is freed. Returns NULL if there is no format, it cannot be parsed, or memory runs
 * out. */
const struct tally_tp_format *tally_tracing_format(struct tally_tracing *tracing,
						   const struct tally_perfdata_event *event);

/* Append the payload as text, using the print format or, if that cannot be compiled, field by
 * field. Appends nothing if the event has no format. Text beyond the limit is truncated, with a
 * warning the first time. */
void tally_tracing_print(struct tally_tracing *tracing, const struct tally_perfdata_event *event,
			 const struct tally_sample *sample, struct tally_str *out);

#endif
