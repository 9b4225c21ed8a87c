/* SPDX-License-Identifier: BSD-2-Clause */
/* Atomic replacement of a file through a temporary file in the same directory. After any error, the
 * old file is unchanged and the temporary file is removed. */
#ifndef TALLY_CLI_MAIN_REPLACE_H
#define TALLY_CLI_MAIN_REPLACE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct tally_replacement {
	char *path;
	struct tally_temporary *temporary; /* NULL once it was committed */
	int fd;
	sigset_t mask;   /* signal mask to restore */
	bool is_private; /* set after opening: only the owner may read a new file */
	bool is_new;     /* nothing was at `path`: a file created since is not replaced */
};

/* Print that `path` cannot be written because of the error `code` (-errno). Returns `code`. */
int tally_replacement_print_error(const char *path, int code);

/* Create an empty temporary file next to `path`, or next to the target if `path` is a symbolic
 * link. INT, TERM and HUP are blocked from here on. Returns 0, or -errno after printing an error:
 * -EISDIR for a directory, -EINVAL for anything else that is not a regular file. */
int tally_replacement_open(const char *path, struct tally_replacement *ret_replacement);

/* Return -EINTR if INT, TERM or HUP is pending and not ignored, else 0. `replacement` is a struct
 * tally_replacement. */
int tally_replacement_check(void *replacement);

/* Between these calls, INT, TERM and HUP remove all temporary files and end the program at once.
 * They are for work that can take long without a write, such as waiting for input. Between them, no
 * replacement may be opened, committed or closed. */
void tally_replacement_release(void);
void tally_replacement_hold(void);

/* Append to the temporary file. Returns 0; -EINTR like tally_replacement_check(); or -errno after
 * printing an error. */
int tally_replacement_write(struct tally_replacement *replacement, const void *bytes, size_t len);

/* Change the final name, which must be in the same directory. An existing file is replaced. Returns
 * 0 or -ENOMEM. */
int tally_replacement_rename(struct tally_replacement *replacement, const char *path);

/* Move the temporary file to its final name. Copy owner, mode and times from the file `like`; if
 * `like` is -1, copy owner, group and mode from the replaced file, or use the defaults for new
 * files. Returns 0, or -errno after printing an error, with nothing replaced. */
int tally_replacement_commit(struct tally_replacement *replacement, int like);

/* Remove the temporary file unless it was committed, and unblock signals. Pending signals are
 * delivered. */
void tally_replacement_close(struct tally_replacement *replacement);

#endif
