/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/suggest.h"

#include <ctype.h>
#include <string.h>

#include "base/arith.h"

enum { MAX_WORD = TALLY_SUGGEST_LEN - 1 };

void tally_suggest_start(struct tally_suggest *suggest, const char *word, size_t len)
{
	len = TALLY_MIN(len, (size_t)MAX_WORD);
	memset(suggest, 0, sizeof(*suggest));
	memcpy(suggest->word, word, len);
}

/* Return the edit distance between a and b. Inserting, deleting or replacing a letter, or swapping
 * two neighbouring letters, costs 2; changing a letter's case costs 1. Both strings have at most
 * MAX_WORD bytes. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][MAX_WORD + 2], *before = rows[0], *last = rows[1], *now = rows[2], *spare;
	size_t nb = strlen(b);

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j * 2;
	for (size_t i = 1; a[i - 1]; i++) {
		now[0] = (unsigned)i * 2;
		for (size_t j = 1; j <= nb; j++) {
			int ca = tolower((unsigned char)a[i - 1]);
			int cb = tolower((unsigned char)b[j - 1]);
			unsigned best = last[j - 1] + (ca != cb ? 2 : a[i - 1] != b[j - 1]);

			best = TALLY_MIN(best, TALLY_MIN(last[j], now[j - 1]) + 2);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = TALLY_MIN(best, before[j - 2] + 2);
			now[j] = best;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

/* Return the cost of a name. A name that contains the word counts as similar, however long it
 * is. */
static unsigned cost(const char *word, const char *name)
{
	unsigned far = distance(word, name);

	if (strlen(word) >= 3 && strcasestr(name, word))
		far = TALLY_MIN(far, 3u + (unsigned)(strlen(name) - strlen(word)) / 8);
	return far;
}

/* Return the position at which to insert a name of cost `far`, or TALLY_SUGGEST_NR if the cost is
 * too high or the name is already a candidate. */
static size_t insert_position(const struct tally_suggest *suggest, const char *name, unsigned far)
{
	size_t at = suggest->nr;

	for (size_t i = 0; i < suggest->nr; i++)
		if (!strcmp(suggest->near[i], name))
			return TALLY_SUGGEST_NR;
	while (at > 0 && suggest->cost[at - 1] > far)
		at--;
	return at;
}

void tally_suggest_offer(struct tally_suggest *suggest, const char *name)
{
	size_t at;
	unsigned far;

	if (strlen(name) > MAX_WORD)
		return;
	far = cost(suggest->word, name);
	if (far > TALLY_MAX(4u, (unsigned)strlen(suggest->word)))
		return;
	at = insert_position(suggest, name, far);
	if (at == TALLY_SUGGEST_NR)
		return;
	suggest->nr = TALLY_MIN(suggest->nr + 1, (unsigned)TALLY_SUGGEST_NR);
	for (size_t i = suggest->nr - 1; i > at; i--) {
		memcpy(suggest->near[i], suggest->near[i - 1], sizeof(suggest->near[i]));
		suggest->cost[i] = suggest->cost[i - 1];
	}
	strcpy(suggest->near[at], name);
	suggest->cost[at] = far;
}

const char *tally_suggest_typo(const struct tally_suggest *suggest)
{
	size_t len;

	if (!suggest->nr)
		return NULL;
	len = TALLY_MAX(strlen(suggest->word), strlen(suggest->near[0]));
	return suggest->cost[0] <= TALLY_MAX(2u, len * 2 / 3) ? suggest->near[0] : NULL;
}
