/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetch missing debug information before a recording is read. */
#ifndef TALLY_CLI_RECORDING_FETCH_H
#define TALLY_CLI_RECORDING_FETCH_H

#include "base/str.h"
#include "cli/recording/session.h"

/* Read the recording of `options` at `path` once to find the files hit by at least one in 200
 * samples (directly or in callchains) that have no debug information here, and fetch it from the
 * servers of options->debuginfod. If anything is fetched, sets `ret_dir` to its directory. Files
 * that cannot be fetched cause a warning, not an error. Returns 0, or -errno after printing an
 * error: the recording cannot be read (or not twice), or fetching is not possible at all. */
int tally_session_fetch(const struct tally_session_options *options, const char *path,
			struct tally_str *ret_dir);

#endif
