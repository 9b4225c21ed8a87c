/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs another command of tally with a generated command line, in this process. */
#ifndef TALLY_CLI_MAIN_COMMAND_LINE_H
#define TALLY_CLI_MAIN_COMMAND_LINE_H

#include <stdbool.h>

#include "base/vec.h"

/* A command line; the first word is the command. All zero is empty. The words are borrowed. */
struct tally_command_line {
	TALLY_VEC(const char *) words;
	bool failed; /* memory ran out */
};

void tally_command_line_add(struct tally_command_line *line, const char *word);

/* Append an option and its value, or nothing if the value is NULL. */
void tally_command_line_option(struct tally_command_line *line, const char *option,
			       const char *value);

/* Append an option without a value if `is_set`. */
void tally_command_line_flag(struct tally_command_line *line, const char *option, bool is_set);

/* Run the command, and free the words. Return its exit status. */
int tally_command_line_run(struct tally_command_line *line);

#endif
