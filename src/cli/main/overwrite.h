/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that an output option may replace. A wrong word after --html or -o must not cost the user a
 * program or a source file. An existing file is therefore replaced only if it is empty, or if its
 * first bytes are those of an output that tally writes there.
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
	/* Any text file whose name marks it as output: *.txt, *.log, ... */
	TALLY_OVERWRITE_TEXT = 1 << 5,
	/* Any text file that is not a program; for output that is appended. */
	TALLY_OVERWRITE_APPEND = 1 << 6,
};

/* Check whether `option` may replace the file at `path`. `kinds` are the TALLY_OVERWRITE_* kinds of
 * content it may have. A missing or empty file, a device and a pipe may always be replaced, and
 * with `force` every file. Returns 0; -EEXIST after printing what the file is and how to replace
 * it; -EACCES, also printed, if the file cannot be read. */
int tally_overwrite_check(const char *option, const char *path, unsigned kinds, bool force);

#endif
