/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples gathered, a batch at a time. Of each sample are noted the location keys that its
 * addresses are in their files (see machine.h), as long as the maps are known by which they were
 * made; and the memory where they will be looked up is asked for. By the time the batch is full
 * most of that memory has come.
 */
#include "profile/chain.h"

static int keys_add(struct tally_profile *profile, const struct tally_thread *thread,
		    uint8_t cpumode, uint64_t ip)
{
	struct tally_batch *batch = &profile->batch;

	/* Room is there. */
	return tally_machine_location_key(profile->machine, thread, cpumode, ip,
					  &batch->location_keys.data[batch->location_keys.len]);
}

/* Note only what is odd about a chain. */
static void gather_oddities(uint8_t cpumode, struct tally_words chain, uint32_t max_stack,
			    struct tally_gathered *to)
{
	uint32_t frames = 0;
	int mode = -2;

	for (uint64_t i = 0; i < chain.nr; i++) {
		mode = tally_context_cpumode(tally_words_get(chain, i));
		if (mode != -2) {
			to->is_bad |= mode == -1;
			cpumode = mode >= 0 ? (uint8_t)mode : cpumode;
		} else if (frames++ == max_stack) {
			to->is_cut = true;
			break;
		}
	}
	to->has_leaf = frames > 0;
	to->leaf_only = frames == 1 && mode == -2 && cpumode == PERF_RECORD_MISC_USER;
}

/* Note the frames of a chain as far as they are taken, and what is odd about it. */
static int gather_chain(struct tally_profile *profile, const struct tally_thread *thread,
			uint8_t cpumode, struct tally_words chain, struct tally_gathered *to)
{
	struct tally_batch *batch = &profile->batch;
	uint32_t frames = 0;

	if (tally_vec_reserve(&batch->location_keys,
			      batch->location_keys.len + TALLY_LOCATION_KEY_WORDS * chain.nr))
		return -ENOMEM;
	for (uint64_t i = 0; i < chain.nr; i++) {
		uint64_t ip = tally_words_get(chain, i);
		int mode = tally_context_cpumode(ip);

		if (mode != -2) {
			to->is_bad |= mode == -1;
			cpumode = mode >= 0 ? (uint8_t)mode : cpumode;
			continue;
		}
		if (frames++ == profile->options.max_stack) {
			to->is_cut = true;
			break;
		}
		batch->location_keys.len += (size_t)keys_add(profile, thread, cpumode, ip);
		if (frames == 1) {
			to->has_leaf = true;
			to->callers = (uint32_t)batch->location_keys.len;
			to->leaf_only = cpumode == PERF_RECORD_MISC_USER && i + 1 == chain.nr;
		}
	}
	return 0;
}

int profile_gather(struct tally_profile *profile, const struct tally_thread *thread,
		   uint8_t cpumode, const struct tally_sample *sample, struct tally_gathered *to)
{
	struct tally_batch *batch = &profile->batch;
	int ret = tally_vec_reserve(&batch->location_keys,
				    batch->location_keys.len + TALLY_LOCATION_KEY_WORDS);

	if (ret)
		return ret;
	to->first = (uint32_t)batch->location_keys.len;
	batch->location_keys.len += (size_t)keys_add(profile, thread, cpumode, sample->ip);
	to->callers = to->end = (uint32_t)batch->location_keys.len;
	profile_address_prefetch(profile, batch->location_keys.data[to->first]);
	if (!(profile_has_callers(profile) || profile->options.second_pass) ||
	    !sample->callchain.nr)
		return 0;
	to->has_chain = true;
	if (!profile_has_callers(profile)) {
		gather_oddities(cpumode, sample->callchain, profile->options.max_stack, to);
		return 0;
	}
	ret = gather_chain(profile, thread, cpumode, sample->callchain, to);
	to->end = (uint32_t)batch->location_keys.len;
	if (!ret && to->end > to->callers)
		profile_callers_prefetch(profile, to);
	return ret;
}
