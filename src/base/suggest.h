/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Of the names that there are, those most like a wrong one, by edit distance. Words and names of up
 * to 63 bytes; letter case counts for little.
 */
#ifndef TALLY_BASE_SUGGEST_H
#define TALLY_BASE_SUGGEST_H

#include <stddef.h>

enum { TALLY_SUGGEST_NR = 5, TALLY_SUGGEST_LEN = 64 };

struct tally_suggest {
	char word[TALLY_SUGGEST_LEN];
	unsigned nr; /* names in `near`, the most like first */
	char near[TALLY_SUGGEST_NR][TALLY_SUGGEST_LEN];
	unsigned cost[TALLY_SUGGEST_NR]; /* 2 for each letter to change, 1 for its case */
};

/* Look for names like the `len` bytes at `word`, of which the first 63 count. */
void tally_suggest_start(struct tally_suggest *suggest, const char *word, size_t len);

/* Keep `name` if it is among the five most like the word. It is copied. */
void tally_suggest_offer(struct tally_suggest *suggest, const char *name);

/* The best name if it is so near that the word is a slip of the fingers for it (wrong are a third
 * of the letters at most, of those of the longer one), else NULL. Lives as long as `suggest`. */
const char *tally_suggest_typo(const struct tally_suggest *suggest);

#endif
