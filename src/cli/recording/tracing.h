/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracepoint payloads of a recording as text, by the formats that the recording carries. */
#ifndef TALLY_CLI_RECORDING_TRACING_H
#define TALLY_CLI_RECORDING_TRACING_H

#include "base/str.h"
#include "cli/recording/session.h"
#include "tally/events.h"

struct tally_tracing;

/* The most text that a payload may become: a constant part, and a part for each of its bytes. No
 * honest print format needs as much; another could make gigabytes of a small file. */
enum { TALLY_TRACE_TEXT_MAX = 4096, TALLY_TRACE_TEXT_PER_BYTE = 8 };

/* For the formats of the session's file. 0; -ENOENT when it has none; -ENOMEM. */
int tally_tracing_new(struct tally_session *session, struct tally_tracing **ret_tracing);
void tally_tracing_free(struct tally_tracing *tracing);

/* The parsed format of a tracepoint: the first with its id, for all commands. Lives until
 * `tracing` is freed. NULL when there is none, it cannot be read, or out of memory. */
const struct tally_tp_format *tally_tracing_format(struct tally_tracing *tracing,
						   const struct tally_perfdata_event *event);

/* Append the payload's text: compiled from the print format, else field by field. Nothing for
 * an event whose format is not there. Longer text than the limit is cut, and a warning given the
 * first time. */
void tally_tracing_print(struct tally_tracing *tracing, const struct tally_perfdata_event *event,
			 const struct tally_sample *sample, struct tally_str *out);

#endif
