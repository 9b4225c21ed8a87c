/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/main/print.h"
#include "tally/perfdata.h"

static int word_unexpected(const struct tally_command *command, const char *word, bool has_input)
{
	if (has_input)
		tally_print_error("unexpected argument '%s': only one recording can be read", word);
	else if (!access(word, F_OK))
		tally_print_error("'%s' is neither an option nor a recording", word);
	else
		tally_print_error("'%s' is neither an option nor a file", word);
	tally_print_hint("see 'tally %s --help'", command->name);
	return TALLY_EXIT_USAGE + 1;
}

int tally_words_parse(const struct tally_command *command, int nr, char **words, const char **input,
		      const char **ret_other)
{
	const char *other = NULL;

	for (int i = 0; i < nr; i++) {
		if (!*input && tally_perfdata_is_recording(words[i]))
			*input = words[i];
		else if (ret_other && !other)
			other = words[i];
		else
			return word_unexpected(command, words[i], *input != NULL);
	}
	if (ret_other)
		*ret_other = other;
	return 0;
}

int tally_word_list_split(const char *list, struct tally_word_list *ret_list)
{
	struct tally_word_list words = {0};
	char *rest;

	if (!list)
		return 0;
	words.text = strdup(list);
	words.items = calloc(strlen(list) + 2, sizeof(*words.items));
	if (!words.text || !words.items) {
		tally_word_list_free(&words);
		return -ENOMEM;
	}
	rest = words.text;
	for (char *word; (word = strsep(&rest, ","));) {
		if (*word)
			words.items[words.nr++] = word;
	}
	*ret_list = words;
	return 0;
}

bool tally_word_list_has(const struct tally_word_list *list, const char *word)
{
	for (size_t i = 0; i < list->nr; i++)
		if (!strcmp(list->items[i], word))
			return true;
	return false;
}

void tally_word_list_free(struct tally_word_list *list)
{
	free(list->items);
	free(list->text);
	*list = (struct tally_word_list){0};
}
