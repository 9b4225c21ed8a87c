/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording made anew with the names of its addresses. */
#ifndef TALLY_CLI_RECORDING_ARCHIVE_H
#define TALLY_CLI_RECORDING_ARCHIVE_H

#include "cli/recording/session.h"

struct tally_archived {
	uint64_t names, records; /* bytes */
};

/* Read the recording that is open at `options->fd`, with symbols.bounds, and write it to `output`,
 * which may be its own path, with the names of its addresses, and with `redact` as redact.h has
 * it. Whatever goes wrong, what was at `output` stays. 0 or -errno, which was told; -EINTR if a
 * signal came, which then does what it does. */
int tally_archive_file(const struct tally_session_options *options, const char *output, bool redact,
		       struct tally_archived *ret_archived);

#endif
