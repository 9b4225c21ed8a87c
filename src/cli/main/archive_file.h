/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy a recording, and embed symbols in the copy. */
#ifndef TALLY_CLI_MAIN_ARCHIVE_FILE_H
#define TALLY_CLI_MAIN_ARCHIVE_FILE_H

#include "cli/main/recordings.h"

struct tally_archived {
	uint64_t names, records; /* size in bytes */
};

/* Read the recording at recording->session.fd and write it to `output` with embedded symbols;
 * symbols.bounds must be set in its options. `output` may be the path to the recording itself. If
 * `redact` is set, the copy is redacted as described in archive/redact.h. On failure, an existing
 * file at `output` is left unchanged. Returns 0 or -errno; errors have been printed. Returns -EINTR
 * without a message if INT, TERM or HUP arrived; the signal is delivered before this function
 * returns. */
int tally_archive_file(const struct tally_recording_options *recording, const char *output,
		       bool redact, struct tally_archived *ret_archived);

#endif
