/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording says of itself: report --header, evlist -v. */
#ifndef TALLY_CLI_RECORDING_HEADER_H
#define TALLY_CLI_RECORDING_HEADER_H

#include "base/str.h"
#include "cli/recording/session.h"

/* Append a comment line for each feature that is known; of a stream, for those that came before the
 * first sample. 0 or -errno. */
int tally_header_text(struct tally_session *session, struct tally_str *out);

#endif
