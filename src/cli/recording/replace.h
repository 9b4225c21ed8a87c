/* SPDX-License-Identifier: BSD-2-Clause */
/* A file made anew beside the one that it replaces: whatever goes wrong, the old one stays, and
 * nothing else is left. */
#ifndef TALLY_CLI_RECORDING_REPLACE_H
#define TALLY_CLI_RECORDING_REPLACE_H

#include <signal.h>

struct tally_replacement {
	char *path, *temporary;
	int fd;
	sigset_t mask; /* of signals, as it was */
};

/* Say that `path` cannot be written, because of a -errno, which is returned. */
int tally_replacement_print_error(const char *path, int code);

/* Create an empty file beside `path`, or beside what that links to. INT, TERM and HUP wait from now
 * on. 0 or -errno, which was told: -EISDIR if it is a directory, -EINVAL if it is something else
 * than a file. */
int tally_replacement_open(const char *path, struct tally_replacement *ret_replacement);

/* -EINTR if one of these signals came. `replacement` is a struct tally_replacement. */
int tally_replacement_check(void *replacement);

/* Give it the owner, the mode and the times of the file at `like`, and its name; without one (-1)
 * owner, group and mode of the file that it replaces, or those of any new one. 0 or -errno, which
 * was told: nothing was replaced then. */
int tally_replacement_commit(struct tally_replacement *replacement, int like);

/* Remove it, unless it was given its name; signals that came meanwhile do what they do. */
void tally_replacement_close(struct tally_replacement *replacement);

#endif
