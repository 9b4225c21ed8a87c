/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which files an output option may replace. A wrong word behind --html or -o must not cost the user
 * a program or a source file, so a file that is already there is replaced only if its first bytes
 * are those of something that tally writes there, or if it is empty.
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
	/* Any text file whose name says that it is output: *.txt, *.log, ... */
	TALLY_OVERWRITE_TEXT = 1 << 5,
	/* Any text file but a program: for what is added at its end. */
	TALLY_OVERWRITE_APPEND = 1 << 6,
};

/* Whether the file at `path` may be replaced by what `option` writes: `kinds` are those of
 * TALLY_OVERWRITE_* that it may hold. A file that is not there, an empty one, a device, a pipe and,
 * with `force`, every file may. 0; -EEXIST after having said what it is and how to replace it;
 * -EACCES if it cannot be read, which is also said. */
int tally_overwrite_check(const char *option, const char *path, unsigned kinds, bool force);

#endif
