/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that an output option may replace. A misplaced word after --html or -o must not cost the
 * user a program or a source file. An existing file is therefore replaced only if it is empty, or
 * if it begins like a file that tally writes for that option.
 */
#ifndef TALLY_CLI_MAIN_OVERWRITE_H
#define TALLY_CLI_MAIN_OVERWRITE_H

#include <stdbool.h>

enum tally_overwrite {
	TALLY_OVERWRITE_PAGE = 1 << 0,      /* report --html */
	TALLY_OVERWRITE_PICTURE = 1 << 1,   /* report --svg */
	TALLY_OVERWRITE_RECORDING = 1 << 2, /* perf.data */
	TALLY_OVERWRITE_EXPORT = 1 << 3,    /* report --format */
	TALLY_OVERWRITE_COUNTS = 1 << 4,    /* stat -o */
	/* Any text file with a name typical of output: *.txt, *.log etc. */
	TALLY_OVERWRITE_TEXT = 1 << 5,
	/* Any text file that is not a program, for output that is appended. */
	TALLY_OVERWRITE_APPEND = 1 << 6,
};

/* Check whether `option` may replace the file at `path`. `kinds` is a mask of TALLY_OVERWRITE_*,
 * the kinds of content that may be replaced. Missing files, empty files, devices and pipes may
 * always be replaced; with `force`, so may every other file. Returns 0 if the file may be replaced.
 * Otherwise prints a message and returns -EEXIST, or -EACCES if the file cannot be read; the
 * message for -EEXIST names the kind of file and explains how to replace it. */
int tally_overwrite_check(const char *option, const char *path, unsigned kinds, bool force);

#endif
