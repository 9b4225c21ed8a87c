/* SPDX-License-Identifier: BSD-2-Clause */
/* Words on the command line of a command that reads a recording, and lists of words. */
#ifndef TALLY_CLI_MAIN_WORDS_H
#define TALLY_CLI_MAIN_WORDS_H

#include "cli/main/command.h"

/*
 * Go through the `nr` words that are no options. One that names a recording becomes `*input`, if
 * that is still NULL: `tally report FILE`. Another one becomes `*ret_other`; NULL when the command
 * takes no other. Any further word is a usage error. 0, or the exit status plus 1, as
 * tally_options_parse(), after having printed what is wrong.
 */
int tally_words_parse(const struct tally_command *command, int nr, char **words, const char **input,
		      const char **ret_other);

/* A list of words with commas between them. Zeroed: none. */
struct tally_word_list {
	const char **items; /* NULL-terminated; NULL: no list */
	size_t nr;
	char *text;
};

/* Split `list`, which may be NULL; empty words are left out. 0 or -ENOMEM. */
int tally_word_list_split(const char *list, struct tally_word_list *ret_list);
void tally_word_list_free(struct tally_word_list *list);

#endif
