/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gathers samples in batches. The location keys (see machine.h) of each sample's addresses are
 * computed while the maps that apply to the sample are current. The memory in which the keys will
 * be looked up is prefetched, and most of it has arrived by the time the batch is full.
 */
#include "profile/chain.h"

/* State while walking a callchain. */
struct chain_walk {
	uint8_t cpumode;
	uint32_t frames, users; /* total frames, and frames in user space */
};

enum walk_step { WALK_FRAME, WALK_MARKER, WALK_END };

/* Process an entry of a chain. If callers are validated, a value after user-space callers is not
 * treated as a marker: it is a word from the stack that was mistaken for an address. The value -1
 * is common on stacks. */
static enum walk_step walk_step(struct chain_walk *walk, uint64_t ip, uint32_t max_stack,
				struct tally_gathered *to)
{
	int mode = to->callers_from == TALLY_CALLERS_VALIDATED && walk->users
			   ? -2
			   : tally_context_cpumode(ip);

	if (mode != -2) {
		to->is_bad |= mode == -1;
		walk->cpumode = mode >= 0 ? (uint8_t)mode : walk->cpumode;
		return WALK_MARKER;
	}
	if (walk->frames++ == max_stack) {
		to->is_cut = true;
		return WALK_END;
	}
	walk->users += walk->cpumode == PERF_RECORD_MISC_USER;
	return WALK_FRAME;
}

/* Set a chain's flags without adding its location keys. */
static void gather_flags(uint8_t cpumode, struct tally_words chain, uint32_t max_stack,
			 struct tally_gathered *to)
{
	struct chain_walk walk = {.cpumode = cpumode};
	enum walk_step step = WALK_MARKER;

	for (uint64_t i = 0; i < chain.nr && step != WALK_END; i++)
		step = walk_step(&walk, tally_words_get(chain, i), max_stack, to);
	to->has_leaf = walk.frames > 0;
	to->leaf_only = walk.frames == 1 && walk.users == 1 && step == WALK_FRAME;
}

/* Add the location key of the current entry. Space must have been reserved for it. */
static void key_add(struct tally_profile *profile, const struct tally_thread *thread,
		    const struct chain_walk *walk, uint64_t ip, struct tally_gathered *to)
{
	struct tally_batch *batch = profile->gathering;
	uint64_t *key = &batch->location_keys.data[batch->location_keys.len];
	int nr;

	/* The innermost user-space address is the sampled instruction, which is not from the
	 * stack. */
	bool is_return = to->callers_from != TALLY_CALLERS_UNWOUND && walk->users > 1;

	if (is_return && !to->returns)
		to->returns = (uint32_t)batch->location_keys.len;
	if (is_return && to->callers_from == TALLY_CALLERS_VALIDATED)
		nr = tally_machine_caller_key(profile->machine, thread, ip, key);
	else
		nr = tally_machine_location_key(profile->machine, thread, walk->cpumode, ip, key);
	to->is_astray = key[0] == TALLY_LOCATION_KEY_CUT;
	batch->location_keys.len += (size_t)nr;
}

/* Add the location keys of a chain, up to the maximum number of frames, and set its flags. */
static int gather_chain(struct tally_profile *profile, const struct tally_thread *thread,
			uint8_t cpumode, struct tally_words chain, struct tally_gathered *to)
{
	struct tally_batch *batch = profile->gathering;
	struct chain_walk walk = {.cpumode = cpumode};

	if (tally_vec_reserve(&batch->location_keys,
			      batch->location_keys.len + TALLY_LOCATION_KEY_WORDS * chain.nr))
		return -ENOMEM;
	for (uint64_t i = 0; i < chain.nr && !to->is_astray; i++) {
		uint64_t ip = tally_words_get(chain, i);
		enum walk_step step = walk_step(&walk, ip, profile->options.max_stack, to);

		if (step == WALK_END)
			break;
		if (step == WALK_MARKER)
			continue;
		key_add(profile, thread, &walk, ip, to);
		if (walk.frames == 1) {
			to->has_leaf = true;
			to->callers = (uint32_t)batch->location_keys.len;
			to->leaf_only = walk.users == 1 && i + 1 == chain.nr;
		}
	}
	return 0;
}

int profile_gather(struct tally_profile *profile, const struct tally_feed_sample *from,
		   struct tally_gathered *to)
{
	struct tally_words chain = from->sample.callchain;
	struct tally_batch *batch = profile->gathering;
	int ret = tally_vec_reserve(&batch->location_keys,
				    batch->location_keys.len + TALLY_LOCATION_KEY_WORDS);

	if (ret)
		return ret;
	to->first = (uint32_t)batch->location_keys.len;
	batch->location_keys.len += (size_t)tally_machine_location_key(
		profile->machine, from->thread, from->cpumode, from->sample.ip,
		&batch->location_keys.data[batch->location_keys.len]);
	to->callers = to->end = (uint32_t)batch->location_keys.len;
	if (!profile->thread)
		profile_address_prefetch(profile, batch->location_keys.data[to->first]);
	if (!(profile_has_callers(profile) || profile->options.second_pass) || !chain.nr)
		return 0;
	to->has_chain = true;
	to->callers_from = profile->options.exact_chains
				   ? TALLY_CALLERS_UNWOUND
				   : tally_callers_from(from->attr, profile->options.raw_chains);
	if (!profile_has_callers(profile)) {
		gather_flags(from->cpumode, chain, profile->options.max_stack, to);
		return 0;
	}
	ret = gather_chain(profile, from->thread, from->cpumode, chain, to);
	to->end = (uint32_t)batch->location_keys.len;
	to->returns = to->returns ? to->returns : to->end;
	if (!ret && to->end > to->callers && !profile->thread)
		profile_callers_prefetch(profile, to);
	return ret;
}
