/* SPDX-License-Identifier: BSD-2-Clause */
/* A file made anew beside the one that it replaces: whatever goes wrong, the old one stays, and
 * nothing else is left. */
#ifndef TALLY_CLI_ARCHIVE_REPLACE_H
#define TALLY_CLI_ARCHIVE_REPLACE_H

#include <signal.h>

struct archive_replacement {
	char *path, *temporary;
	int fd;
	sigset_t mask; /* of signals, as it was */
};

/* Create an empty file beside `path`, or beside what that links to. INT, TERM and HUP wait from now
 * on. 0 or -errno, which was told. */
int archive_replacement_open(const char *path, struct archive_replacement *ret_replacement);

/* -EINTR if one of these signals came. `replacement` is a struct archive_replacement. */
int archive_replacement_check(void *replacement);

/* Give it the owner, the mode and the times of the file at `like`, and its name. 0 or -errno, which
 * was told: nothing was replaced then. */
int archive_replacement_commit(struct archive_replacement *replacement, int like);

/* Remove it, unless it was given its name; signals that came meanwhile do what they do. */
void archive_replacement_close(struct archive_replacement *replacement);

#endif
