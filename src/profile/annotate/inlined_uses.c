/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/annotate/inlined_uses.h"

#include <errno.h>
#include <stdlib.h>

#include "symbols/lines/symbols_lines.h"

struct use_search {
	const char *word;
	struct tally_map matches; /* address of a symbol -> enum tally_symbol_match */
	struct tally_inlined_uses found;
	struct tally_map uses; /* of the current function: symbol -> index in `found` */
};

static enum tally_symbol_match symbol_match(struct use_search *search, struct tally_dso *dso,
					    const struct tally_symbol *symbol)
{
	uint64_t match = tally_map_get(&search->matches, (uintptr_t)symbol);

	if (match == TALLY_MAP_NONE) {
		match = tally_symbol_match(dso, symbol, search->word);
		/* If this fails, the names are compared again next time. */
		(void)tally_map_set(&search->matches, (uintptr_t)symbol, match);
	}
	return (enum tally_symbol_match)match;
}

static int use_add(struct use_search *search, const struct tally_annotate_function *function,
		   const struct tally_symbol *symbol, const struct tally_annotate_cost *cost)
{
	struct tally_inlined_use use = {function, symbol, cost->nr, cost->weight};

	uint64_t known = tally_map_get(&search->uses, (uintptr_t)symbol);

	if (known != TALLY_MAP_NONE) {
		search->found.all.data[known].nr += cost->nr;
		search->found.all.data[known].weight += cost->weight;
		return 0;
	}
	if (tally_map_set(&search->uses, (uintptr_t)symbol, search->found.all.len))
		return -ENOMEM;
	return tally_vec_push(&search->found.all, use);
}

/* Return true if a line further out is in the same inlined function, as in a recursion. */
static bool is_repeated(struct tally_dso *dso, const struct tally_line *lines, size_t nr, size_t at,
			const struct tally_symbol *symbol)
{
	const struct tally_symbol *other;

	for (size_t i = at + 1; i + 1 < nr; i++) {
		if (!tally_line_symbol(dso, &lines[i], &other) && other == symbol)
			return true;
	}
	return false;
}

static int add_place(struct use_search *search, const struct tally_annotate_function *function,
		     const struct tally_annotate_place *place)
{
	const struct tally_line *lines;
	const struct tally_symbol *symbol;
	size_t nr = tally_dso_lines(function->dso, place->addr, &lines, NULL);
	int ret = 0;

	for (size_t i = 0; i + 1 < nr && !ret; i++) {
		enum tally_symbol_match match;

		ret = tally_line_symbol(function->dso, &lines[i], &symbol);
		match = ret || !symbol ? TALLY_MATCH_NONE
				       : symbol_match(search, function->dso, symbol);
		if (match == TALLY_MATCH_NONE || match < search->found.match ||
		    is_repeated(function->dso, lines, nr, i, symbol))
			continue;
		if (match > search->found.match) {
			search->found.all.len = 0;
			tally_map_free(&search->uses);
		}
		search->found.match = match;
		ret = use_add(search, function, symbol, &place->cost);
	}
	return ret;
}

/* Read the lines of all places at once. */
static int lines_prepare(const struct tally_annotate_function *function,
			 const struct tally_annotate_place *places)
{
	TALLY_VEC(uint64_t) addrs = {0};
	int ret = 0;

	for (uint32_t i = 0; i < function->nr && !ret; i++)
		ret = tally_vec_push(&addrs, places[i].addr);
	if (!ret)
		tally_dso_lines_prepare(function->dso, addrs.data, addrs.len);
	tally_vec_free(&addrs);
	return ret;
}

static bool has_event(const uint32_t *events, size_t nr, uint32_t event)
{
	for (size_t i = 0; i < nr; i++) {
		if (events[i] == event)
			return true;
	}
	return false;
}

static int by_weight(const void *a, const void *b)
{
	const struct tally_inlined_use *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

int tally_inlined_uses_find(const struct tally_annotate *annotate, const char *word,
			    const uint32_t *events, size_t nr_events,
			    struct tally_inlined_uses *ret_uses)
{
	struct use_search search = {.word = word};
	int ret = 0;

	for (size_t n = 0; n < tally_annotate_nr_functions(annotate) && !ret; n++) {
		const struct tally_annotate_function *function =
			tally_annotate_function(annotate, n);
		const struct tally_annotate_place *places =
			tally_annotate_places(annotate, function);

		if (!function->nr || !tally_dso_has_lines(function->dso))
			continue;
		tally_map_free(&search.uses);
		ret = lines_prepare(function, places);
		for (uint32_t i = 0; i < function->nr && !ret; i++) {
			if (places[i].cost.nr && has_event(events, nr_events, places[i].event))
				ret = add_place(&search, function, &places[i]);
		}
	}
	if (search.found.all.len)
		qsort(search.found.all.data, search.found.all.len, sizeof(*search.found.all.data),
		      by_weight);
	tally_map_free(&search.matches);
	tally_map_free(&search.uses);
	if (ret)
		tally_inlined_uses_free(&search.found);
	else
		*ret_uses = search.found;
	return ret;
}
