/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's header as text, for report --header and evlist -v. */
#ifndef TALLY_VIEW_RECORDING_HEADER_H
#define TALLY_VIEW_RECORDING_HEADER_H

#include "base/str.h"
#include "session/session.h"

/* Read all records of a stream, so that all its features are known; do nothing for a file. Damage
 * ends the reading. Returns 0 or -ENOMEM. */
int tally_header_read_stream(struct tally_session *session);

/* Append a comment line for each known feature, as perf does. Topology, caches and memory are
 * appended only if `full` is set. For a stream, append only the features that have been read.
 * Returns 0 or -errno. */
int tally_header_text(struct tally_session *session, bool full, struct tally_str *out);

#endif
