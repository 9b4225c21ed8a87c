/* SPDX-License-Identifier: BSD-2-Clause */
/* Replace a file atomically through a temporary file next to it: on any error the old file stays
 * and nothing else is left behind. */
#ifndef TALLY_CLI_RECORDING_REPLACE_H
#define TALLY_CLI_RECORDING_REPLACE_H

#include <signal.h>

struct tally_replacement {
	char *path, *temporary;
	int fd;
	sigset_t mask; /* signal mask to restore */
};

/* Print that `path` cannot be written because of -errno `code`. Returns `code`. */
int tally_replacement_print_error(const char *path, int code);

/* Create an empty temporary file next to `path`, or next to the target if `path` is a symbolic
 * link. INT, TERM and HUP are blocked from here on. Returns 0, or -errno after printing an error:
 * -EISDIR for a directory, -EINVAL for anything else that is not a regular file. */
int tally_replacement_open(const char *path, struct tally_replacement *ret_replacement);

/* Return -EINTR if INT, TERM or HUP is pending, otherwise 0. `replacement` is a struct
 * tally_replacement. */
int tally_replacement_check(void *replacement);

/* Move the temporary file to its final name, with the owner, mode and times of the file at `like`;
 * if `like` is -1, with owner, group and mode of the file it replaces, or those of any new file.
 * Returns 0, or -errno after printing an error; then nothing was replaced. */
int tally_replacement_commit(struct tally_replacement *replacement, int like);

/* Remove the temporary file unless it was committed, and unblock signals; pending ones are
 * delivered. */
void tally_replacement_close(struct tally_replacement *replacement);

#endif
