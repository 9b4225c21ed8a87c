/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/selection.h"

#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/slots.h"
#include "profile/frame_text.h"
#include "profile/functions.h"
#include "profile/query.h"

/* ---- buckets ------------------------------------------------------------------- */

bool tally_selection_includes_time(const struct tally_selection_options *options, uint64_t time)
{
	if (options->is_timed && (time < options->first || time > options->last))
		return false;
	for (size_t i = 0; i < options->nr_queries; i++) {
		if (!tally_query_matches_time(options->queries[i], time))
			return false;
	}
	return true;
}

int tally_selection_numbers(const struct tally_profile *profile, const uint8_t *passes,
			    const struct tally_selection_options *options, uint64_t **ret_bits,
			    uint64_t *ret_nr)
{
	uint64_t nr = 0, *bits;

	tally_vec_for_each (kept, &profile->kept)
		nr = TALLY_MAX(nr, (uint64_t)kept->number + 1);
	bits = calloc(nr / 64 + 1, sizeof(*bits));
	if (!bits)
		return -ENOMEM;
	tally_vec_for_each (kept, &profile->kept) {
		if (passes[kept->bucket] && tally_selection_includes_time(options, kept->time))
			tally_bit_set(bits, kept->number);
	}
	*ret_bits = bits;
	*ret_nr = nr;
	return 0;
}

/* Sum up the samples in the time range. `sums` is indexed by bucket and must be zeroed. */
static void sum_samples(const struct tally_profile *profile,
			const struct tally_selection_options *options, struct tally_bucket *sums)
{
	tally_vec_for_each (kept, &profile->kept) {
		if (!tally_selection_includes_time(options, kept->time))
			continue;
		sums[kept->bucket].nr++;
		tally_sum_add(&sums[kept->bucket].period, tally_kept_weight(profile, kept));
	}
}

/* Return the maximum number of buckets. With a time range, every bucket has an entry while samples
 * are being summed up. */
static size_t nr_places(const struct tally_profile *profile,
			const struct tally_selection_options *options, bool is_timed)
{
	size_t nr = 0;

	if (is_timed || !options->passes)
		return profile->buckets.len;
	for (size_t i = 0; i < profile->buckets.len; i++)
		nr += options->passes[i] != 0;
	return nr;
}

/* Copy the buckets that pass, counting only samples in the time range. */
static int buckets_copy(const struct tally_profile *profile,
			const struct tally_selection_options *options,
			struct tally_selection *selection)
{
	bool is_timed = options->is_timed || options->nr_queries;
	struct tally_bucket *copies =
		calloc(nr_places(profile, options, is_timed) + 1, sizeof(*copies));
	size_t nr = 0;

	if (!copies)
		return -ENOMEM;
	if (is_timed)
		sum_samples(profile, options, copies);
	for (size_t i = 0; i < profile->buckets.len; i++) {
		const struct tally_bucket *bucket = &profile->buckets.data[i];
		struct tally_bucket copy;

		if (options->passes && !options->passes[i])
			continue;
		copy = is_timed ? copies[i] : *bucket;
		copy.key = bucket->key;
		if (tally_selection_has(selection, &copy))
			copies[nr++] = copy;
	}
	selection->buckets = selection->owned = copies;
	selection->nr_buckets = nr;
	return 0;
}

int tally_selection_build(const struct tally_profile *profile,
			  const struct tally_selection_options *options,
			  struct tally_selection *ret_selection)
{
	struct tally_selection selection = {.buckets = profile->buckets.data,
					    .nr_buckets = profile->buckets.len,
					    .event = options->event};
	int ret = 0;

	if (options->is_timed || options->nr_queries || options->passes || options->copies)
		ret = buckets_copy(profile, options, &selection);
	if (ret)
		return ret;
	for (size_t i = 0; i < selection.nr_buckets; i++) {
		const struct tally_bucket *bucket = &selection.buckets[i];

		if (!tally_selection_has(&selection, bucket))
			continue;
		tally_sum_add(&selection.period, bucket->period);
		selection.nr += bucket->nr;
	}
	*ret_selection = selection;
	return 0;
}

void tally_selection_free(struct tally_selection *selection)
{
	free(selection->owned);
	*selection = (struct tally_selection){0};
}

/* ---- callchains ---------------------------------------------------------------- */

static int chain_add(struct tally_chains *chains, struct tally_slots *slots,
		     const struct tally_bucket *bucket)
{
	uint32_t leaf = tally_bucket_leaf(&bucket->key), callers = bucket->key.callers, number;
	uint32_t hash = (uint32_t)tally_hash_u64((uint64_t)leaf << 32 | callers, 0);
	struct tally_chain *chain = NULL;
	int ret;

	for (size_t pos = hash; !chain && tally_slots_next(slots, hash, &pos, &number);) {
		chain = &chains->all.data[number];
		if (chain->leaf != leaf || chain->callers != callers)
			chain = NULL;
	}
	if (!chain) {
		ret = tally_slots_add(slots, hash, (uint32_t)chains->all.len);
		if (!ret)
			ret = tally_vec_push(&chains->all, (struct tally_chain){leaf, callers});
		if (ret)
			return ret;
		chain = &chains->all.data[chains->all.len - 1];
	}
	tally_sum_add(&chain->period, bucket->period);
	chain->nr += bucket->nr;
	return 0;
}

int tally_chains_build(const struct tally_profile *profile, const struct tally_selection *selection,
		       struct tally_chains *ret_chains)
{
	struct tally_chains chains = {
		.profile = profile, .period = selection->period, .nr = selection->nr};
	struct tally_slots slots = {0};
	int ret = tally_functions_build(profile, &chains.functions);

	for (size_t i = 0; i < selection->nr_buckets && !ret; i++) {
		if (tally_selection_has(selection, &selection->buckets[i]))
			ret = chain_add(&chains, &slots, &selection->buckets[i]);
	}
	tally_slots_free(&slots);
	if (ret)
		tally_chains_free(&chains);
	else
		*ret_chains = chains;
	return ret;
}

void tally_chains_free(struct tally_chains *chains)
{
	tally_vec_free(&chains->all);
	free(chains->functions);
	*chains = (struct tally_chains){0};
}

bool tally_chains_has(const struct tally_chains *chains, const struct tally_bucket_key *key,
		      uint32_t function)
{
	const struct tally_chain chain = {.leaf = tally_bucket_leaf(key), .callers = key->callers};

	return tally_chain_find(chains, &chain, function) != UINT32_MAX;
}

uint32_t tally_chain_find(const struct tally_chains *chains, const struct tally_chain *chain,
			  uint32_t function)
{
	struct tally_stack stack = tally_stacks_get(&chains->profile->stacks, chain->callers);

	function = chains->functions[function];
	for (uint32_t at = stack.nr; at > 0; at--) {
		if (chains->functions[stack.frames[at - 1]] == function)
			return at;
	}
	return chains->functions[chain->leaf] == function ? 0 : UINT32_MAX;
}

static bool is_inlined(const struct tally_profile *profile, uint32_t frame)
{
	return tally_frame_is_inlined(&profile->frames.all.data[frame]);
}

uint32_t tally_bucket_container(const struct tally_profile *profile,
				const struct tally_bucket_key *key)
{
	struct tally_stack callers = tally_stacks_get(&profile->stacks, key->callers);

	if (!is_inlined(profile, key->frame))
		return key->frame;
	for (uint32_t i = 0; i < callers.nr; i++) {
		if (!is_inlined(profile, callers.frames[i]))
			return callers.frames[i];
	}
	return key->frame;
}

/* Return the function that contains the frame at index `at` of a chain, or UINT32_MAX. */
static uint32_t container_in(const struct tally_chains *chains, const struct tally_chain *chain,
			     uint32_t at)
{
	uint32_t nr = tally_chain_length(chains, chain);

	while (at < nr && is_inlined(chains->profile, tally_chain_function(chains, chain, at)))
		at++;
	return at < nr ? tally_chain_function(chains, chain, at) : UINT32_MAX;
}

/* Find the heaviest container among chains in which the function is the innermost one, or, if
 * `anywhere`, is on the chain. */
static uint32_t container_find(const struct tally_chains *chains, uint32_t function, bool anywhere)
{
	uint32_t best = UINT32_MAX, found;
	struct tally_map sums = {0};
	uint64_t most = 0, sum;

	tally_vec_for_each (chain, &chains->all) {
		uint32_t at = tally_chain_function(chains, chain, 0) == function ? 0
			      : anywhere ? tally_chain_find(chains, chain, function)
					 : UINT32_MAX;

		if (at == UINT32_MAX)
			continue;
		found = container_in(chains, chain, at);
		sum = tally_map_get(&sums, found);
		sum = (sum == TALLY_MAP_NONE ? 0 : sum) + chain->period;
		if (found == UINT32_MAX || tally_map_set(&sums, found, sum) || sum < most)
			continue;
		most = sum;
		best = found;
	}
	tally_map_free(&sums);
	return best;
}

uint32_t tally_chains_container(const struct tally_chains *chains, uint32_t function)
{
	uint32_t found;

	function = chains->functions[function];
	if (!is_inlined(chains->profile, function))
		return function;
	found = container_find(chains, function, false);
	return found != UINT32_MAX ? found : container_find(chains, function, true);
}
