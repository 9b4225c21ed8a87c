/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetch missing debug information before a recording is read. */
#ifndef TALLY_SESSION_FETCH_H
#define TALLY_SESSION_FETCH_H

#include "base/str.h"
#include "session/session.h"

/* Read the recording once with `options` to find files that have no debug information on this
 * machine and are hit by at least one in 200 samples, directly or in callchains. Fetch the debug
 * information for these files from the servers in options->debuginfod. If anything is fetched, set
 * `ret_dir` to its directory. A file that cannot be fetched causes a warning, not an error. Returns
 * 0, or -errno after emitting an error message if the recording cannot be read (or cannot be read
 * twice), or if fetching is not possible at all. */
int tally_session_fetch(const struct tally_session_options *options, struct tally_str *ret_dir);

#endif
