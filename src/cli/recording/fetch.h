/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug information that this machine has not, fetched before a recording is read. */
#ifndef TALLY_CLI_RECORDING_FETCH_H
#define TALLY_CLI_RECORDING_FETCH_H

#include "base/str.h"
#include "cli/recording/session.h"

/* Read the recording of `options`, which is at `path`, once to find the files in which at least one
 * in 200 of its samples fell, or their callers, and which have no debug information here; and fetch
 * theirs from the servers of options->debuginfod. `ret_dir` becomes the directory that it is in, or
 * stays as it is if there is none. What cannot be fetched is said, and no error. 0; -errno after
 * having said why: the recording cannot be read, or not twice; nothing can be fetched at all. */
int tally_session_fetch(const struct tally_session_options *options, const char *path,
			struct tally_str *ret_dir);

#endif
