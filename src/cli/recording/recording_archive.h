/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrite a recording with the symbols of its addresses embedded. */
#ifndef TALLY_CLI_RECORDING_ARCHIVE_H
#define TALLY_CLI_RECORDING_ARCHIVE_H

#include "cli/recording/session.h"

struct tally_archived {
	uint64_t names, records; /* bytes */
};

/* Read the recording that is open at `options->fd` (opened with symbols.bounds) and write it to
 * `output` with embedded symbols. `output` may be the path of the recording itself. If `redact` is
 * set, the copy is redacted as described in redact.h. On failure an existing file at `output` is
 * left unchanged. Returns 0 or -errno; errors have been printed. Returns -EINTR without a message
 * if INT, TERM or HUP arrived; the signal is delivered before this function returns. */
int tally_archive_file(const struct tally_session_options *options, const char *output, bool redact,
		       struct tally_archived *ret_archived);

#endif
