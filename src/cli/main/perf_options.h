/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perf has and tally has not, each with the reason: options of the commands that both have,
 * and perf's other commands. The parser looks here behind a command's own table, and --help and
 * the pages show the rows.
 *
 * Not here: which of its own options tally understands differently; the pages of the commands say.
 */
#ifndef TALLY_CLI_MAIN_PERF_OPTIONS_H
#define TALLY_CLI_MAIN_PERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether an option of perf's takes an argument. */
enum tally_perf_arg {
	TALLY_PERF_ARG_NONE,
	TALLY_PERF_ARG_NEEDED,
	TALLY_PERF_ARG_OPTIONAL, /* behind '=', or behind the letter in the same word */
};

struct tally_perf_option {
	char letter;      /* 0: none */
	const char *name; /* long name without dashes; NULL: none */
	enum tally_perf_arg arg;
	bool taken;      /* it is taken and changes nothing; else it is refused */
	const char *why; /* why nothing changes, or why it is refused and what to use instead */
};

/* The rows of a command, ended by one without letter and name; NULL where there are none. */
const struct tally_perf_option *tally_perf_options(const char *command);

bool tally_perf_option_ends(const struct tally_perf_option *option);

/* The row of a letter, or NULL. */
const struct tally_perf_option *tally_perf_option_letter(const char *command, char letter);

/* The row of the long name that is the `len` bytes at `name`, as it is or behind "no-"; or NULL. */
const struct tally_perf_option *tally_perf_option_find(const char *command, const char *name,
						       size_t len);

/* The only row whose long name begins with the `len` bytes at `name`; NULL if there is none, or
 * more than one. */
const struct tally_perf_option *tally_perf_option_begins(const char *command, const char *name,
							 size_t len);

/* What to use in place of a command that perf has and tally has not; NULL if perf has none of this
 * name either. */
const char *tally_perf_command(const char *name);

#endif
