/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracepoint payloads of a recording as text, by the formats that the recording carries. */
#ifndef TALLY_CLI_TRACING_H
#define TALLY_CLI_TRACING_H

#include "base/str.h"
#include "cli/session.h"

struct tally_tracing;

/* Read the formats of the session's file. 0; -ENOENT when it has none; -ENOMEM. */
int tally_tracing_new(struct tally_session *session, struct tally_tracing **ret_tracing);
void tally_tracing_free(struct tally_tracing *tracing);

/* Append the payload's text: compiled from the print format, else field by field. Nothing for
 * an event whose format is not there. */
void tally_tracing_print(struct tally_tracing *tracing, const struct tally_perfdata_event *event,
			 const struct tally_sample *sample, struct tally_str *out);

#endif
