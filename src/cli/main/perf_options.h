/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The perf options and commands that tally does not have, with the reasons. Options are listed only
 * for commands that both programs have. The parser searches these tables after a command's own
 * table, and --help and the manual pages list the rows.
 *
 * Options that have a different meaning in tally are not listed here; the commands' manual pages
 * describe them.
 */
#ifndef TALLY_CLI_MAIN_PERF_OPTIONS_H
#define TALLY_CLI_MAIN_PERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Argument of a perf option. */
enum tally_perf_arg {
	TALLY_PERF_ARG_NONE,
	TALLY_PERF_ARG_NEEDED,
	TALLY_PERF_ARG_OPTIONAL, /* follows '=', or follows the letter in the same word */
};

struct tally_perf_option {
	char letter;      /* 0 if there is no short option */
	const char *name; /* long name without dashes, or NULL */
	enum tally_perf_arg arg;
	bool taken;      /* accepted but ignored; otherwise rejected */
	const char *why; /* reason; for a rejected option, also an alternative */
};

/* Return a command's rows, terminated by a row with neither a letter nor a name; NULL if the
 * command has no rows. */
const struct tally_perf_option *tally_perf_options(const char *command);

/* Return true for the row that terminates a table. */
bool tally_perf_option_ends(const struct tally_perf_option *option);

/* Return the row for an option letter, or NULL. */
const struct tally_perf_option *tally_perf_option_letter(const char *command, char letter);

/* Return the row with the long name of `len` bytes at `name`, optionally preceded by "no-", or
 * NULL. */
const struct tally_perf_option *tally_perf_option_find(const char *command, const char *name,
						       size_t len);

/* Return the only row with a long name that begins with the `len` bytes at `name`; NULL if no row
 * or several rows match. */
const struct tally_perf_option *tally_perf_option_begins(const char *command, const char *name,
							 size_t len);

/* Return true for an option of the command, tally's own or of a recent perf, that does not make an
 * abbreviation ambiguous which users of perf know: `record --call-gr` is --call-graph, and not
 * --call-graph-default. */
bool tally_perf_option_is_newer(const char *command, const char *name);

/* Return what to use in place of a command that only perf has; NULL if perf has no such command. */
const char *tally_perf_command(const char *name);

#endif
