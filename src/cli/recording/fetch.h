/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetch missing debug information before a recording is read. */
#ifndef TALLY_CLI_RECORDING_FETCH_H
#define TALLY_CLI_RECORDING_FETCH_H

#include "base/str.h"
#include "cli/recording/session.h"

/* Read the recording `path` once with `options` to find files that have no debug information on
 * this machine and are hit by at least one in 200 samples, directly or in callchains. Fetch the
 * debug information for these files from the servers in options->debuginfod. If anything is
 * fetched, set `ret_dir` to its directory. A file that cannot be fetched causes a warning, not an
 * error. Returns 0, or -errno after printing an error if the recording cannot be read (or cannot be
 * read twice), or if fetching is not possible at all. */
int tally_session_fetch(const struct tally_session_options *options, const char *path,
			struct tally_str *ret_dir);

#endif
