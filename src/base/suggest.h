/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Suggestions for a misspelled word: the most similar known names by edit distance. Words and names
 * have up to 63 bytes; a difference in letter case has a low cost.
 */
#ifndef TALLY_BASE_SUGGEST_H
#define TALLY_BASE_SUGGEST_H

#include <stddef.h>

enum { TALLY_SUGGEST_NR = 5, TALLY_SUGGEST_LEN = 64 };

struct tally_suggest {
	char word[TALLY_SUGGEST_LEN];
	unsigned nr; /* names in `near`, most similar first */
	char near[TALLY_SUGGEST_NR][TALLY_SUGGEST_LEN];
	unsigned cost[TALLY_SUGGEST_NR]; /* 2 per changed letter, 1 per change of letter case */
};

/* Start a search for names similar to the `len` bytes at `word`. Only the first 63 bytes are used.
 */
void tally_suggest_start(struct tally_suggest *suggest, const char *word, size_t len);

/* Add `name` to the candidates if it is among the five most similar so far. The name is copied. */
void tally_suggest_offer(struct tally_suggest *suggest, const char *name);

/* Return the best candidate if the word is probably a misspelling of it, that is, if the wrong
 * letters make up at most a third of the longer string. Otherwise return NULL. The string belongs
 * to `suggest`. */
const char *tally_suggest_typo(const struct tally_suggest *suggest);

#endif
