/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matches buckets against a query. Bit i of a mask is set if word i of the query matches, before
 * any negation is applied. The expensive part, matching names, is done only once for each comm,
 * thread, frame and file. A bucket's mask is the combination of these masks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "base/path.h"
#include "profile/query_private.h"
#include "profile/short_names.h"
#include "symbols/short_name.h"

enum { STACK_SLOTS = 1 << 14 };

/* Cached mask of a stack. */
struct stack_mask {
	uint32_t stack, mask;
};

struct selection {
	const struct tally_query *query;
	const struct tally_profile *profile;
	uint32_t negated, judged; /* masks of negated words, and of all words except time words */
	/* Mask of words about functions and files anywhere on the callchain. */
	uint32_t on_chain;
	uint32_t *comms, *threads;   /* masks by comm, and by thread */
	uint32_t *frames;            /* masks by frame */
	struct stack_mask *stacks;   /* direct-mapped */
	const struct tally_dso *dso; /* last DSO matched */
	uint32_t dso_mask;
	uint32_t cpu, cpu_mask; /* last CPU matched */
};

/* ---- matching names and numbers -------------------------------------------------- */

/* Return the mask of words of the given kinds that match a name. */
static uint32_t name_mask(const struct tally_query *query, uint32_t kinds, const char *name)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < query->nr; i++) {
		if (kinds >> query->words[i].kind & 1 &&
		    tally_pattern_matches(&query->words[i].pattern, name))
			mask |= UINT32_C(1) << i;
	}
	return mask;
}

static uint32_t number_mask(const struct tally_query *query, enum query_kind kind, uint32_t number)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < query->nr; i++) {
		if (query->words[i].kind == kind &&
		    tally_ranges_have(&query->words[i].numbers, number))
			mask |= UINT32_C(1) << i;
	}
	return mask;
}

static uint32_t kinds_mask(const struct tally_query *query, uint32_t kinds)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < query->nr; i++)
		mask |= (kinds >> query->words[i].kind & 1) << i;
	return mask;
}

enum {
	NAMES_OF_COMMS = 1 << QUERY_ANY | 1 << QUERY_COMM,
	NAMES_OF_SYMBOLS = 1 << QUERY_ANY | 1 << QUERY_SYM | 1 << QUERY_SELF_SYM,
	NAMES_OF_DSOS = 1 << QUERY_ANY | 1 << QUERY_DSO | 1 << QUERY_SELF_DSO,
	ON_CHAIN = 1 << QUERY_ANY | 1 << QUERY_SYM | 1 << QUERY_DSO,
};

/* Return the mask of a DSO. Consecutive frames usually belong to the same file. */
static uint32_t dso_mask(struct selection *selection, const struct tally_dso *dso)
{
	const char *name = dso ? tally_dso_name(dso) : "[unknown]";

	if (dso && dso == selection->dso)
		return selection->dso_mask;
	selection->dso = dso;
	selection->dso_mask = name_mask(selection->query, NAMES_OF_DSOS, name) |
			      name_mask(selection->query, NAMES_OF_DSOS, tally_mapped_name(name));
	return selection->dso_mask;
}

/* Return the mask of a frame. Functions match by their whole or short names, because views show
 * short names. */
static uint32_t frame_mask(struct selection *selection, uint32_t number)
{
	const struct tally_frame *frame = &selection->profile->frames.all.data[number];
	uint32_t wanted = kinds_mask(selection->query, NAMES_OF_SYMBOLS), mask;
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";

	mask = dso_mask(selection, frame->dso) |
	       name_mask(selection->query, NAMES_OF_SYMBOLS, name);
	if (frame->symbol && wanted & ~mask && tally_short_name_applies(name, strlen(name)))
		mask |= name_mask(selection->query, NAMES_OF_SYMBOLS,
				  tally_profile_short_name(selection->profile, number));
	return mask;
}

/* ---- masks of all comms, threads and frames ---------------------------------------- */

static int masks_new(size_t nr, uint32_t **ret_masks)
{
	*ret_masks = calloc(nr + 1, sizeof(**ret_masks));
	return *ret_masks ? 0 : -ENOMEM;
}

static int judge_comms(struct selection *selection)
{
	const struct tally_intern *comms = tally_machine_comms(selection->profile->machine);
	int ret = masks_new(comms->strings.len, &selection->comms);

	for (uint32_t i = 0; i < comms->strings.len && !ret; i++)
		selection->comms[i] =
			name_mask(selection->query, NAMES_OF_COMMS, tally_intern_text(comms, i));
	return ret;
}

static int judge_threads(struct selection *selection)
{
	const struct tally_machine *machine = selection->profile->machine;
	size_t nr = tally_machine_nr_threads(machine);
	int ret = masks_new(nr, &selection->threads);

	for (uint32_t i = 0; i < nr && !ret; i++) {
		const struct tally_thread *thread = tally_machine_thread_at(machine, i);

		selection->threads[i] =
			number_mask(selection->query, QUERY_PID, (uint32_t)thread->pid) |
			number_mask(selection->query, QUERY_TID, (uint32_t)thread->tid);
	}
	return ret;
}

static int judge_frames(struct selection *selection)
{
	const struct tally_frames *frames = &selection->profile->frames;
	int ret = masks_new(frames->all.len, &selection->frames);

	for (size_t i = 0; i < frames->all.len && !ret; i++)
		selection->frames[i] = frame_mask(selection, (uint32_t)i);
	return ret;
}

static void selection_free(struct selection *selection)
{
	free(selection->comms);
	free(selection->threads);
	free(selection->frames);
	free(selection->stacks);
}

static int selection_init(struct selection *selection, const struct tally_query *query,
			  const struct tally_profile *profile)
{
	int ret;

	*selection = (struct selection){.query = query, .profile = profile};
	for (uint32_t i = 0; i < query->nr; i++)
		selection->negated |= (uint32_t)query->words[i].is_negated << i;
	selection->judged = kinds_mask(query, ~(UINT32_C(1) << QUERY_TIME));
	selection->on_chain = kinds_mask(query, ON_CHAIN);
	selection->cpu_mask = number_mask(query, QUERY_CPU, 0);
	selection->stacks = calloc(STACK_SLOTS, sizeof(*selection->stacks));
	ret = selection->stacks ? judge_comms(selection) : -ENOMEM;
	if (!ret)
		ret = judge_threads(selection);
	return ret ? ret : judge_frames(selection);
}

/* ---- buckets ---------------------------------------------------------------------- */

static uint32_t cpu_mask(struct selection *selection, uint32_t cpu)
{
	if (cpu != selection->cpu) {
		selection->cpu = cpu;
		selection->cpu_mask = number_mask(selection->query, QUERY_CPU, cpu);
	}
	return selection->cpu_mask;
}

/* Return the mask of a stack. Buckets with the same stack are usually close to each other. */
static uint32_t stack_mask(struct selection *selection, uint32_t number)
{
	struct stack_mask *known =
		&selection->stacks[tally_hash_u64(number, 0) & (STACK_SLOTS - 1)];
	uint32_t wanted = selection->on_chain, mask = 0;
	struct tally_stack stack;

	if (known->stack == number)
		return known->mask; /* an empty slot has TALLY_STACK_NONE and a mask of 0 */
	stack = tally_stacks_get(&selection->profile->stacks, number);
	for (uint32_t i = 0; i < stack.nr && (mask & wanted) != wanted; i++)
		mask |= selection->frames[stack.frames[i]];
	*known = (struct stack_mask){number, mask & wanted};
	return known->mask;
}

static bool mask_passes(const struct selection *selection, uint32_t mask, uint32_t judged)
{
	return ((mask ^ selection->negated) & judged) == judged;
}

/* Match a bucket. Its callers are checked last, and only if they make a difference, because there
 * are many of them. */
static bool bucket_passes(struct selection *selection, const struct tally_bucket_key *key)
{
	const struct tally_profile *profile = selection->profile;
	uint32_t comm = tally_machine_comm_of(profile->machine, key->comm);
	uint32_t mask = selection->comms[comm] | selection->threads[key->thread] |
			cpu_mask(selection, key->cpu);

	if (profile->options.by & TALLY_BY_FRAME)
		mask |= selection->frames[key->frame];
	if (key->leaf)
		mask |= selection->frames[key->leaf - 1];
	if (!mask_passes(selection, mask, selection->judged & ~selection->on_chain))
		return false;
	if ((mask & selection->on_chain) != selection->on_chain)
		mask |= stack_mask(selection, key->callers);
	return mask_passes(selection, mask, selection->judged);
}

int tally_query_select(const struct tally_query *query, const struct tally_profile *profile,
		       uint8_t *ret_passes)
{
	struct selection selection;
	int ret = selection_init(&selection, query, profile);

	for (size_t i = 0; i < profile->buckets.len && !ret; i++)
		ret_passes[i] = bucket_passes(&selection, &profile->buckets.data[i].key);
	for (uint32_t i = 0; i < query->nr && !ret; i++)
		ret = tally_pattern_error(&query->words[i].pattern);
	selection_free(&selection);
	return ret;
}

/* Keep the samples of the remaining buckets. `numbers` maps old bucket numbers to new bucket
 * numbers. */
static int kept_filter(struct tally_profile *profile, const uint32_t *numbers)
{
	struct tally_map heavy = {0};
	size_t left = 0;
	int ret = 0;

	for (size_t i = 0; i < profile->kept.len && !ret; i++) {
		struct tally_kept kept = profile->kept.data[i];

		if (numbers[kept.bucket] == TALLY_BUCKET_NONE)
			continue;
		if (kept.weight == UINT32_MAX)
			ret = tally_map_set(&heavy, left,
					    tally_kept_weight(profile, &profile->kept.data[i]));
		kept.bucket = numbers[kept.bucket];
		profile->kept.data[left++] = kept;
	}
	profile->kept.len = left;
	tally_map_free(&profile->heavy);
	profile->heavy = heavy;
	return ret;
}

/* Keep only the buckets that pass, and store their new numbers. */
static void buckets_filter(struct tally_profile *profile, const uint8_t *passes, uint32_t *numbers)
{
	uint32_t left = 0;

	tally_vec_for_each (total, &profile->totals)
		total->nr_shown = total->period_shown = 0;
	for (size_t i = 0; i < profile->buckets.len; i++) {
		const struct tally_bucket bucket = profile->buckets.data[i];

		numbers[i] = TALLY_BUCKET_NONE;
		if (!passes[i])
			continue;
		profile->totals.data[bucket.key.event].nr_shown += bucket.nr;
		tally_sum_add(&profile->totals.data[bucket.key.event].period_shown, bucket.period);
		numbers[i] = left;
		profile->buckets.data[left++] = bucket;
	}
	profile->buckets.len = left;
}

int tally_query_apply(const struct tally_query *query, struct tally_profile *profile)
{
	uint32_t *numbers = malloc((profile->buckets.len + 1) * sizeof(*numbers));
	uint8_t *passes = malloc(profile->buckets.len + 1);
	int ret = passes && numbers ? tally_query_select(query, profile, passes) : -ENOMEM;

	if (!ret) {
		buckets_filter(profile, passes, numbers);
		ret = kept_filter(profile, numbers);
	}
	free(passes);
	free(numbers);
	return ret;
}

/* ---- requirements ------------------------------------------------------------------ */

/* Requirements, indexed by enum query_kind. */
static const struct {
	unsigned by;
	uint64_t needs;
} wanted[QUERY_KINDS] = {
	[QUERY_ANY] = {TALLY_BY_COMM | TALLY_BY_FRAME | TALLY_BY_PATH, 0},
	[QUERY_COMM] = {TALLY_BY_COMM, 0},
	[QUERY_PID] = {TALLY_BY_THREAD, PERF_SAMPLE_TID},
	[QUERY_TID] = {TALLY_BY_THREAD, PERF_SAMPLE_TID},
	[QUERY_CPU] = {TALLY_BY_CPU, PERF_SAMPLE_CPU},
	[QUERY_TIME] = {0, PERF_SAMPLE_TIME},
	[QUERY_SYM] = {TALLY_BY_FRAME | TALLY_BY_PATH, 0},
	[QUERY_DSO] = {TALLY_BY_FRAME | TALLY_BY_PATH, 0},
	/* The innermost function may be inlined, and only callchains contain inlined functions. */
	[QUERY_SELF_SYM] = {TALLY_BY_FRAME | TALLY_BY_PATH, 0},
	[QUERY_SELF_DSO] = {TALLY_BY_FRAME, 0},
};

unsigned tally_query_by(const struct tally_query *query)
{
	unsigned by = 0;

	for (uint32_t i = 0; i < query->nr; i++)
		by |= wanted[query->words[i].kind].by;
	return by;
}

uint64_t tally_query_needs(const struct tally_query *query)
{
	uint64_t needs = 0;

	for (uint32_t i = 0; i < query->nr; i++)
		needs |= wanted[query->words[i].kind].needs;
	return needs;
}

bool tally_query_has_relative_times(const struct tally_query *query)
{
	bool any = false;

	for (uint32_t i = 0; i < query->nr; i++)
		any |= query->words[i].kind == QUERY_TIME &&
		       tally_time_range_is_relative(&query->words[i].time);
	return any;
}

void tally_query_set_times(struct tally_query *query, uint64_t first, uint64_t last)
{
	for (uint32_t i = 0; i < query->nr; i++)
		tally_time_range_resolve(&query->words[i].time, first, last);
}

bool tally_query_is_outside(const struct tally_query *query, uint64_t first, uint64_t last)
{
	for (uint32_t i = 0; i < query->nr; i++) {
		const struct query_word *word = &query->words[i];

		if (word->kind == QUERY_TIME && !word->is_negated &&
		    !tally_time_range_overlaps(&word->time, first, last))
			return true;
	}
	return false;
}

bool tally_query_matches_time(const struct tally_query *query, uint64_t time)
{
	for (uint32_t i = 0; i < query->nr; i++) {
		const struct query_word *word = &query->words[i];

		if (word->kind == QUERY_TIME &&
		    tally_time_range_has(&word->time, time) == word->is_negated)
			return false;
	}
	return true;
}
