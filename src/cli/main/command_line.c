/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/command_line.h"

#include "cli/main/command.h"
#include "cli/main/print.h"

void tally_command_line_add(struct tally_command_line *line, const char *word)
{
	line->failed |= tally_vec_push(&line->words, word) != 0;
}

void tally_command_line_option(struct tally_command_line *line, const char *option,
			       const char *value)
{
	if (!value)
		return;
	tally_command_line_add(line, option);
	tally_command_line_add(line, value);
}

void tally_command_line_flag(struct tally_command_line *line, const char *option, bool is_set)
{
	if (is_set)
		tally_command_line_add(line, option);
}

int tally_command_line_run(struct tally_command_line *line)
{
	int nr = (int)line->words.len, status = TALLY_EXIT_ERROR;

	tally_command_line_add(line, NULL);
	if (line->failed)
		tally_print_error("out of memory");
	else
		status =
			tally_command_find(line->words.data[0])->run(nr, (char **)line->words.data);
	tally_vec_free(&line->words);
	return status;
}
