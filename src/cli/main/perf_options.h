/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options and commands of perf that tally does not have, each with the reason. The options are
 * those of commands that both have. The parser searches these tables after a command's own table,
 * and --help and the manual pages show the rows.
 *
 * Options that tally has with another meaning are not listed here; the manual pages of the commands
 * describe them.
 */
#ifndef TALLY_CLI_MAIN_PERF_OPTIONS_H
#define TALLY_CLI_MAIN_PERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Argument of an option of perf. */
enum tally_perf_arg {
	TALLY_PERF_ARG_NONE,
	TALLY_PERF_ARG_NEEDED,
	TALLY_PERF_ARG_OPTIONAL, /* after '=', or after the letter in the same word */
};

struct tally_perf_option {
	char letter;      /* 0: none */
	const char *name; /* long name without dashes; NULL: none */
	enum tally_perf_arg arg;
	bool taken;      /* accepted without effect; otherwise rejected */
	const char *why; /* reason for having no effect; or reason for the rejection, and an
	                  * alternative */
};

/* Return the rows of a command, terminated by a row without letter and name; NULL without rows. */
/* Return true for the terminating row of a table. */
const struct tally_perf_option *tally_perf_options(const char *command);

bool tally_perf_option_ends(const struct tally_perf_option *option);

/* Return the row of a letter, or NULL. */
const struct tally_perf_option *tally_perf_option_letter(const char *command, char letter);

/* Return the row with the long name of `len` bytes at `name`, with or without a "no-" before it; or
 * NULL. */
const struct tally_perf_option *tally_perf_option_find(const char *command, const char *name,
						       size_t len);

/* Return the only row with a long name that begins with the `len` bytes at `name`; NULL if no row
 * or several rows match. */
const struct tally_perf_option *tally_perf_option_begins(const char *command, const char *name,
							 size_t len);

/* Return what to use in place of a command that only perf has; NULL if perf has no such command. */
const char *tally_perf_command(const char *name);

#endif
