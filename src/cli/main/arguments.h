/* SPDX-License-Identifier: BSD-2-Clause */
/* Parse command-line words that are not options, for commands that read a recording; also parse
 * comma-separated lists of words. */
#ifndef TALLY_CLI_MAIN_ARGUMENTS_H
#define TALLY_CLI_MAIN_ARGUMENTS_H

#include "cli/main/command.h"

/*
 * Process the `nr` words that are not options. The first word that names a recording becomes
 * `*input` if `*input` is NULL, as in `tally report FILE`. The first other word becomes
 * `*ret_other`; pass NULL if the command takes no other word. Any further word is a usage error.
 * Return 0, or the exit status plus 1 after printing an error, like tally_options_parse().
 */
int tally_words_parse(const struct tally_command *command, int nr, char **words, const char **input,
		      const char **ret_other);

/* A comma-separated list of words. An all-zero structure means that there is no list. */
struct tally_word_list {
	const char **items; /* NULL-terminated array, or NULL if there is no list */
	size_t nr;
	char *text;
};

/* Split `list`, which may be NULL; empty words are skipped. Return 0 or -ENOMEM. */
int tally_word_list_split(const char *list, struct tally_word_list *ret_list);
/* Return true if `word` is in the list. */
bool tally_word_list_has(const struct tally_word_list *list, const char *word);

void tally_word_list_free(struct tally_word_list *list);

#endif
