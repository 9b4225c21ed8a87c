/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/annotate/profile_annotate.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/short_name.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/slots.h"
#include "base/vec.h"
#include "symbols/lines/symbols_lines.h"

enum { MAX_STACK = 127, MAX_PLACES = 4 << 20 };

/* Places, or per-function sums, indexed by function, event and address. */
struct cost_table {
	TALLY_VEC(struct tally_annotate_place) all;
	TALLY_VEC(uint64_t) last; /* number of the last sample added to each place's totals */
	struct tally_slots slots;
};

struct tally_annotate {
	struct tally_machine *machine;
	struct tally_annotate_options options;
	TALLY_VEC(struct tally_annotate_function) functions;
	struct tally_slots by_symbol;
	struct cost_table places, sums, overlaps;
	TALLY_VEC(struct tally_annotate_total) totals;
	struct tally_frames unnamed; /* addresses outside all functions */
	uint64_t nr_samples, nr_left_out;
};

int tally_annotate_new(struct tally_machine *machine, const struct tally_annotate_options *options,
		       struct tally_annotate **ret_annotate)
{
	struct tally_annotate *annotate = calloc(1, sizeof(*annotate));

	if (!annotate)
		return -ENOMEM;
	annotate->machine = machine;
	annotate->options = *options;
	if (!annotate->options.max_stack)
		annotate->options.max_stack = MAX_STACK;
	if (!annotate->options.max_places)
		annotate->options.max_places = MAX_PLACES;
	*ret_annotate = annotate;
	return 0;
}

static void table_free(struct cost_table *table)
{
	tally_vec_free(&table->all);
	tally_vec_free(&table->last);
	tally_slots_free(&table->slots);
}

void tally_annotate_free(struct tally_annotate *annotate)
{
	if (!annotate)
		return;
	tally_vec_free(&annotate->functions);
	tally_slots_free(&annotate->by_symbol);
	table_free(&annotate->places);
	table_free(&annotate->sums);
	table_free(&annotate->overlaps);
	tally_vec_free(&annotate->totals);
	tally_frames_free(&annotate->unnamed);
	free(annotate);
}

/* ---- functions --------------------------------------------------------------------- */

static bool dso_is_wanted(const struct tally_annotate *annotate, const struct tally_dso *dso)
{
	const char *const *names = annotate->options.dsos;
	const char *name = tally_dso_name(dso);

	for (; names && *names; names++) {
		if (!strcmp(*names, name) || !strcmp(*names, tally_path_name(name)))
			return true;
	}
	return !annotate->options.dsos;
}

/* Return the last component of a name, which follows the last "::" outside brackets. */
static const char *last_component(const char *name)
{
	const char *last = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		depth += *at == '<' || *at == '(' || *at == '{';
		depth -= *at == '>' || *at == ')' || *at == '}';
		if (depth <= 0 && at[0] == ':' && at[1] == ':')
			last = at + 2;
	}
	return last;
}

enum tally_symbol_match tally_symbol_match(struct tally_dso *dso, const struct tally_symbol *symbol,
					   const char *word)
{
	const char *name = tally_symbol_name(dso, symbol);
	enum tally_symbol_match match = TALLY_MATCH_NONE;
	struct tally_str text = {0};

	if (!strcmp(word, name) || !strcmp(word, tally_symbol_raw_name(dso, symbol)))
		return TALLY_MATCH_WHOLE;
	if (!strcmp(word, last_component(name)))
		return TALLY_MATCH_SHORT;
	if (strstr(name, word))
		match = TALLY_MATCH_PART;
	if (!tally_short_name_applies(name, strlen(name)))
		return match;
	/* Without memory, only the whole name is compared. */
	if (!tally_short_name(&text, name, strlen(name))) {
		if (!strcmp(tally_str_text(&text), word))
			match = TALLY_MATCH_SHORT;
		else if (strstr(tally_str_text(&text), word))
			match = TALLY_MATCH_PART;
	}
	tally_str_free(&text);
	return match;
}

/* Return true if a symbol covers only the gap between the end of a named function and the next
 * function. Such a symbol begins at the start of the named function, but has no instructions of its
 * own. */
static bool is_padding(const struct tally_location *where)
{
	return tally_symbol_is_bound(where->dso, where->symbol) &&
	       tally_dso_find(where->dso, where->symbol->start) != where->symbol;
}

static uint32_t function_hash(const struct tally_dso *dso, const struct tally_symbol *symbol)
{
	return (uint32_t)tally_hash_u64((uintptr_t)symbol, (uintptr_t)dso);
}

const struct tally_annotate_function *tally_annotate_find(const struct tally_annotate *annotate,
							  const struct tally_dso *dso,
							  const struct tally_symbol *symbol)
{
	const struct tally_annotate_function *known;
	uint32_t hash = function_hash(dso, symbol), number;

	for (size_t pos = hash; tally_slots_next(&annotate->by_symbol, hash, &pos, &number);) {
		known = &annotate->functions.data[number];
		if (known->dso == dso && known->symbol == symbol)
			return known;
	}
	return NULL;
}

static int function_find(struct tally_annotate *annotate, const struct tally_location *where,
			 uint32_t *ret_function)
{
	const struct tally_annotate_function *known =
		tally_annotate_find(annotate, where->dso, where->symbol);
	uint32_t number = (uint32_t)annotate->functions.len;
	enum tally_symbol_match match = TALLY_MATCH_WHOLE;
	int ret;

	if (known) {
		*ret_function = (uint32_t)(known - annotate->functions.data);
		return 0;
	}
	if (annotate->options.symbol)
		match = tally_symbol_match(where->dso, where->symbol, annotate->options.symbol);
	ret = tally_vec_push(&annotate->functions,
			     (struct tally_annotate_function){
				     .dso = where->dso,
				     .symbol = where->symbol,
				     .cpumode = where->cpumode,
				     .match = match,
				     .is_wanted = dso_is_wanted(annotate, where->dso) &&
						  match != TALLY_MATCH_NONE && !is_padding(where),
			     });
	if (!ret)
		ret = tally_slots_add(&annotate->by_symbol,
				      function_hash(where->dso, where->symbol), number);
	*ret_function = number;
	return ret;
}

/* ---- costs ------------------------------------------------------------------------- */

/* Find the place with this key, or create it. Return 1, 0 if the place is new but there are already
 * `most` places, or -ENOMEM. */
static int place_find(struct cost_table *table, const struct tally_annotate_place *key,
		      uint32_t most, uint32_t *ret_place)
{
	uint64_t seed = (uint64_t)key->function << 32 | key->event;
	uint32_t hash = (uint32_t)tally_hash_u64(key->addr, seed);
	const struct tally_annotate_place *known;
	int ret;

	for (size_t pos = hash; tally_slots_next(&table->slots, hash, &pos, ret_place);) {
		known = &table->all.data[*ret_place];
		if (known->addr == key->addr && known->function == key->function &&
		    known->event == key->event)
			return 1;
	}
	if (table->all.len >= most)
		return 0;
	*ret_place = (uint32_t)table->all.len;
	ret = tally_vec_push(&table->last, 0);
	if (!ret)
		ret = tally_vec_push(&table->all, *key);
	if (!ret)
		ret = tally_slots_add(&table->slots, hash, *ret_place);
	return ret ? ret : 1;
}

/* Properties of a sample that apply to all its addresses. */
struct sample_facts {
	uint32_t event;
	uint64_t weight;
	const struct tally_symbol *symbol; /* symbol at the sample's address, or NULL */
	uint64_t addr;
};

/* Add a sample to a place. The sample is added to the totals only once, no matter how often the
 * place appears on the stack. */
static int cost_add(struct tally_annotate *annotate, struct cost_table *table,
		    const struct tally_annotate_place *key, const struct sample_facts *facts,
		    bool is_leaf)
{
	struct tally_annotate_cost *cost;
	uint32_t number;
	int ret = place_find(table, key, annotate->options.max_places, &number);

	annotate->nr_left_out += !ret;
	if (ret <= 0)
		return ret;
	cost = &table->all.data[number].cost;
	cost->nr += is_leaf;
	cost->weight += is_leaf ? facts->weight : 0;
	if (table->last.data[number] == annotate->nr_samples)
		return 0;
	table->last.data[number] = annotate->nr_samples;
	cost->total_nr++;
	cost->total_weight += facts->weight;
	return 0;
}

static int location_add(struct tally_annotate *annotate, const struct tally_location *where,
			const struct sample_facts *facts, bool is_leaf, bool is_return)
{
	struct tally_annotate_place key = {.event = facts->event};
	uint32_t unnamed;
	int ret;

	if (!where->dso || !where->symbol)
		return annotate->unnamed.all.len < annotate->options.max_places
			       ? tally_frames_find(&annotate->unnamed, where, &unnamed)
			       : 0;
	ret = function_find(annotate, where, &key.function);
	if (!ret)
		ret = cost_add(annotate, &annotate->sums, &key, facts, is_leaf);
	if (ret || !annotate->functions.data[key.function].is_wanted)
		return ret;
	key.addr = tally_line_address(where->symbol, where->addr, is_return);
	ret = cost_add(annotate, &annotate->places, &key, facts, is_leaf);
	if (ret || is_leaf || where->symbol != facts->symbol || key.addr <= facts->addr ||
	    (key.addr - facts->addr) >> TALLY_ANNOTATE_OVERLAP_BITS)
		return ret;
	key.addr = tally_annotate_overlap(where->symbol, facts->addr, key.addr);
	return cost_add(annotate, &annotate->overlaps, &key, facts, false);
}

/* ---- stacks ------------------------------------------------------------------------ */

/* State while walking a callchain; see gather.c. */
struct caller_walk {
	const struct tally_thread *thread;
	uint8_t cpumode;
	enum tally_callers_from callers_from;
	uint32_t frames, users; /* total frames, and frames in user space */
};

/* Look up a caller's address. Return 1, or 0 if the chain is broken at this address. */
static int caller_locate(struct tally_annotate *annotate, const struct caller_walk *walk,
			 uint64_t ip, struct tally_location *ret_where)
{
	uint64_t key[TALLY_LOCATION_KEY_WORDS];
	bool is_judged = walk->callers_from == TALLY_CALLERS_VALIDATED &&
			 walk->cpumode == PERF_RECORD_MISC_USER && walk->users > 1;

	if (is_judged) {
		tally_machine_caller_key(annotate->machine, walk->thread, ip, key);
		if (key[0] == TALLY_LOCATION_KEY_CUT ||
		    !tally_machine_is_return_address(annotate->machine, key))
			return 0;
	}
	*ret_where = *tally_machine_locate(annotate->machine, walk->thread, walk->cpumode, ip);
	return 1;
}

/* Return true if the next entry of a chain is a frame. A context marker sets the mode of the
 * following entries. */
static bool walk_step(struct caller_walk *walk, uint64_t ip)
{
	int mode = walk->callers_from == TALLY_CALLERS_VALIDATED && walk->users
			   ? -2
			   : tally_context_cpumode(ip);

	if (mode == -2) {
		walk->frames++;
		walk->users += walk->cpumode == PERF_RECORD_MISC_USER;
		return true;
	}
	walk->cpumode = mode >= 0 ? (uint8_t)mode : walk->cpumode;
	return false;
}

/* Add a sample's callers, skipping the first frame, which is the sample itself. Callers that are in
 * the kernel or were found with frame pointers are return addresses. For these, look up the
 * preceding call instruction instead. */
static int callers_add(struct tally_annotate *annotate, struct caller_walk *walk,
		       struct tally_words chain, const struct sample_facts *facts)
{
	struct tally_location where;
	int ret = 0;

	for (uint64_t i = 0; i < chain.nr && !ret; i++) {
		uint64_t ip = tally_words_get(chain, i);
		bool is_return;

		if (!walk_step(walk, ip) || walk->frames == 1)
			continue;
		if (walk->frames > annotate->options.max_stack ||
		    !caller_locate(annotate, walk, ip, &where))
			break;
		is_return = walk->cpumode == PERF_RECORD_MISC_KERNEL ||
			    (walk->callers_from != TALLY_CALLERS_UNWOUND &&
			     walk->cpumode == PERF_RECORD_MISC_USER && walk->users > 1);
		ret = location_add(annotate, &where, facts, false, is_return);
	}
	return ret;
}

static int total_reach(struct tally_annotate *annotate, uint32_t event)
{
	int ret = 0;

	while (annotate->totals.len <= event && !ret)
		ret = tally_vec_push(&annotate->totals, (struct tally_annotate_total){0});
	return ret;
}

int tally_annotate_add(struct tally_annotate *annotate, const struct tally_feed_sample *sample)
{
	struct sample_facts facts = {.event = sample->event, .weight = sample->period};
	struct caller_walk walk = {
		.thread = sample->thread,
		.cpumode = sample->cpumode,
		.callers_from = tally_callers_from(sample->attr, annotate->options.raw_chains)};
	struct tally_annotate_total *total;
	const struct tally_location *where;
	int ret = total_reach(annotate, sample->event);

	if (ret)
		return ret;
	where = tally_machine_locate(annotate->machine, sample->thread, sample->cpumode,
				     sample->sample.ip);
	total = &annotate->totals.data[sample->event];
	annotate->nr_samples++;
	total->nr++;
	total->weight += sample->period;
	total->nr_unnamed += !where->symbol;
	facts.symbol = where->symbol;
	facts.addr = where->addr;
	ret = location_add(annotate, where, &facts, true, false);
	if (ret || annotate->options.no_callers)
		return ret;
	return callers_add(annotate, &walk, sample->sample.callchain, &facts);
}

/* ---- results ------------------------------------------------------------------------ */

static int compare_places(const void *a, const void *b)
{
	const struct tally_annotate_place *left = a, *right = b;

	if (left->function != right->function)
		return left->function < right->function ? -1 : 1;
	if (left->addr != right->addr)
		return left->addr < right->addr ? -1 : 1;
	return left->event < right->event ? -1 : left->event > right->event;
}

static void table_finish(struct cost_table *table)
{
	if (table->all.len)
		qsort(table->all.data, table->all.len, sizeof(*table->all.data), compare_places);
	tally_vec_free(&table->last);
	tally_slots_free(&table->slots);
}

/* Set each function's range of table entries. */
static void table_index(const struct cost_table *table, struct tally_annotate *annotate,
			size_t first_at, size_t nr_at)
{
	tally_vec_for_each (place, &table->all) {
		char *function = (char *)&annotate->functions.data[place->function];
		uint32_t *first = (uint32_t *)(function + first_at);
		uint32_t *nr = (uint32_t *)(function + nr_at);

		if (!(*nr)++)
			*first = (uint32_t)(place - table->all.data);
	}
}

int tally_annotate_finish(struct tally_annotate *annotate)
{
	const struct {
		struct cost_table *table;
		size_t first, nr;
	} rows[] = {
#define MEMBERS(first, nr)                               \
	offsetof(struct tally_annotate_function, first), \
		offsetof(struct tally_annotate_function, nr)
		{&annotate->places, MEMBERS(first, nr)},
		{&annotate->sums, MEMBERS(first_sum, nr_sums)},
		{&annotate->overlaps, MEMBERS(first_overlap, nr_overlaps)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		table_finish(rows[i].table);
		table_index(rows[i].table, annotate, rows[i].first, rows[i].nr);
	}
	return 0;
}

size_t tally_annotate_nr_functions(const struct tally_annotate *annotate)
{
	return annotate->functions.len;
}

const struct tally_annotate_function *tally_annotate_function(const struct tally_annotate *annotate,
							      size_t number)
{
	return &annotate->functions.data[number];
}

const struct tally_annotate_place *
tally_annotate_places(const struct tally_annotate *annotate,
		      const struct tally_annotate_function *function)
{
	return annotate->places.all.data + function->first;
}

const struct tally_annotate_place *
tally_annotate_sums(const struct tally_annotate *annotate,
		    const struct tally_annotate_function *function)
{
	return annotate->sums.all.data + function->first_sum;
}

const struct tally_annotate_place *
tally_annotate_overlaps(const struct tally_annotate *annotate,
			const struct tally_annotate_function *function)
{
	return annotate->overlaps.all.data + function->first_overlap;
}

struct tally_annotate_cost tally_annotate_sum(const struct tally_annotate *annotate,
					      const struct tally_annotate_function *function,
					      uint32_t event)
{
	const struct tally_annotate_place *sums = tally_annotate_sums(annotate, function);

	for (uint32_t i = 0; i < function->nr_sums; i++) {
		if (sums[i].event == event)
			return sums[i].cost;
	}
	return (struct tally_annotate_cost){0};
}

struct tally_annotate_total tally_annotate_total(const struct tally_annotate *annotate,
						 uint32_t event)
{
	return event < annotate->totals.len ? annotate->totals.data[event]
					    : (struct tally_annotate_total){0};
}

int tally_annotate_add_frames(const struct tally_annotate *annotate, struct tally_frames *frames)
{
	uint32_t number;
	int ret = 0;

	tally_vec_for_each (frame, &annotate->unnamed.all) {
		if (!ret)
			ret = tally_frames_add(frames, frame, &number);
	}
	tally_vec_for_each (function, &annotate->functions) {
		struct tally_frame frame = {.dso = function->dso,
					    .symbol = function->symbol,
					    .cpumode = function->cpumode};

		if (!ret)
			ret = tally_frames_add(frames, &frame, &number);
	}
	return ret;
}

uint64_t tally_annotate_nr_left_out(const struct tally_annotate *annotate)
{
	return annotate->nr_left_out;
}
