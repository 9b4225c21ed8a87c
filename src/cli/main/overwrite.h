/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that an output option may replace. A misplaced word after --html or -o must not cost the
 * user a program or a source file. An existing file is therefore replaced only if it is empty, or
 * if it has a mark that tally writes for that option. Output without such a mark, such as folded
 * stacks, is never replaced.
 */
#ifndef TALLY_CLI_MAIN_OVERWRITE_H
#define TALLY_CLI_MAIN_OVERWRITE_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/main/replace.h"

enum tally_overwrite {
	TALLY_OVERWRITE_PAGE = 1 << 0,      /* report --html */
	TALLY_OVERWRITE_PICTURE = 1 << 1,   /* report --svg */
	TALLY_OVERWRITE_RECORDING = 1 << 2, /* perf.data */
	TALLY_OVERWRITE_EXPORT = 1 << 3,    /* report --format */
	TALLY_OVERWRITE_COUNTS = 1 << 4,    /* stat -o */
	TALLY_OVERWRITE_LIST = 1 << 5,      /* list -o */
	TALLY_OVERWRITE_DUMP = 1 << 6,      /* script --per-event-dump: text in *.dump */
	TALLY_OVERWRITE_APPEND = 1 << 7,    /* stat -o --append: text that also contains counts */
	TALLY_OVERWRITE_METRICS = 1 << 8,   /* stat --prometheus */
};

/* Refuse block devices, directories and sockets. `mode` is the st_mode of `path`. Returns 0, or
 * -EINVAL after printing an error. */
int tally_overwrite_check_mode(const char *option, const char *path, mode_t mode);

/* Check whether `option` may replace the file at `path`. `kinds` is a mask of TALLY_OVERWRITE_*,
 * the kinds of content that may be replaced. Missing files, empty files, character devices and
 * FIFOs may always be written; with `force`, so may every other regular file. Returns 0 if the file
 * may be written. Otherwise prints an error and returns -EINVAL (see tally_overwrite_check_mode),
 * -EACCES if the file cannot be read, or -EEXIST. */
int tally_overwrite_check(const char *option, const char *path, unsigned kinds, bool force);

/* Check the path and open its replacement. A file that another process creates at the path
 * before tally_replacement_commit() is not replaced, unless `force` is set. Returns 0, or -errno
 * after printing an error. */
int tally_overwrite_open(const char *option, const char *path, unsigned kinds, bool force,
			 struct tally_replacement *ret_replacement);

#endif
