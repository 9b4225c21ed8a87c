/* SPDX-License-Identifier: BSD-2-Clause */
/* The known names most like a wrong one, by edit distance. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "events/names.h"
#include "events/parse.h"
#include "events/tracefs.h"

enum { MAX_WORD = 63 };

void tally_suggest_start(struct tally_suggest *suggest, struct tally_word word,
			 struct tally_event_error *err)
{
	size_t len = TALLY_MIN(word.len, (size_t)MAX_WORD);

	memset(suggest, 0, sizeof(*suggest));
	memcpy(suggest->word, word.text, len);
	suggest->err = err;
	err->nr_near = 0;
}

/* Insertions, deletions, replacements and exchanges of neighbours that lead from a to b, each
 * 2, a change of letter case 1. Both at most MAX_WORD long. */
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

/* Names that contain the word, or that the word contains, are near however long they are. */
static unsigned cost(const char *word, const char *name)
{
	unsigned far = distance(word, name);

	if (strlen(word) >= 3 && strcasestr(name, word))
		far = TALLY_MIN(far, 3u + (unsigned)(strlen(name) - strlen(word)) / 8);
	return far;
}

void tally_suggest_offer(struct tally_suggest *suggest, const char *name)
{
	struct tally_event_error *err = suggest->err;
	size_t word = strlen(suggest->word), at;
	unsigned far;

	if (strlen(name) > MAX_WORD)
		return;
	far = cost(suggest->word, name);
	if (far > TALLY_MAX(4u, (unsigned)word))
		return;
	for (at = 0; at < err->nr_near; at++)
		if (!strcmp(err->near[at], name))
			return;
	for (at = err->nr_near; at > 0 && suggest->cost[at - 1] > far; at--) {
	}
	if (at == TALLY_ARRAY_SIZE(err->near))
		return;
	err->nr_near = TALLY_MIN(err->nr_near + 1, (unsigned)TALLY_ARRAY_SIZE(err->near));
	for (size_t i = err->nr_near - 1; i > at; i--) {
		memcpy(err->near[i], err->near[i - 1], sizeof(err->near[i]));
		suggest->cost[i] = suggest->cost[i - 1];
	}
	strcpy(err->near[at], name);
	suggest->cost[at] = far;
}

static int offer_info(const struct tally_event_info *info, void *data)
{
	tally_suggest_offer(data, info->name);
	if (info->alias)
		tally_suggest_offer(data, info->alias);
	return 0;
}

/* sched_switch alone: the system was forgotten. */
static void offer_tracepoints(struct tally_event_parser *p, struct tally_suggest *suggest)
{
	tally_name_vec systems = {0};
	struct tally_arena arena = {0};
	const char *root;
	uint64_t id;
	char full[128];

	if (strchr(suggest->word, '/') || tally_events_tracefs(p->events, &root, NULL) ||
	    tally_tracepoint_names(p->events, "", &arena, &systems))
		return;
	tally_vec_for_each (sys, &systems) {
		if (!tally_tracepoint_id(p->events, *sys, suggest->word, &id)) {
			snprintf(full, sizeof(full), "%s:%s", *sys, suggest->word);
			tally_suggest_offer(suggest, full);
		}
	}
	tally_vec_free(&systems);
	tally_arena_free(&arena);
}

void tally_suggest_events(struct tally_event_parser *p, struct tally_word word)
{
	struct tally_suggest suggest;
	const tally_name_vec *names;
	unsigned kinds = TALLY_EVENT_HARDWARE | TALLY_EVENT_SOFTWARE | TALLY_EVENT_CACHE;
	char full[128];

	tally_suggest_start(&suggest, word, p->err);
	/* Vendors write names in capitals, tables do not; it is no difference. */
	if (!strpbrk(suggest.word, "abcdefghijklmnopqrstuvwxyz"))
		for (char *at = suggest.word; *at; at++)
			*at = (char)tolower((unsigned char)*at);
	tally_events_each(p->events, kinds | TALLY_EVENT_PMU | TALLY_EVENT_TABLE, NULL, offer_info,
			  &suggest);
	offer_tracepoints(p, &suggest);
	if (tally_pmu_names(p->events, &names))
		return;
	for (size_t i = 0; i < names->len; i++) {
		snprintf(full, sizeof(full), "%.60s//", names->data[i]);
		tally_suggest_offer(&suggest, full);
	}
}
