/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's header as text, for report --header and evlist -v. */
#ifndef TALLY_VIEW_RECORDING_HEADER_H
#define TALLY_VIEW_RECORDING_HEADER_H

#include "base/str.h"
#include "session/session.h"

/* Append a comment line for each known feature. For a stream, append only the features that precede
 * the first sample. Returns 0 or -errno. */
int tally_header_text(struct tally_session *session, struct tally_str *out);

#endif
