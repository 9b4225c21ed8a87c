/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers to stacks. Most were seen before, in this process or another one of the same program, so
 * they are looked up as a whole, by a hash of the words that stand for them.
 */
#include "profile/profile_private.h"

/* Two sums that are independent make 96 bits; callers are taken for the same if all of them are. */
static void hash_step(struct tally_callers_hash *hash, uint64_t word)
{
	hash->mix = tally_hash_mix(word ^ 0x9e3779b97f4a7c15ull, hash->mix ^ 0xd1b54a32d192ed03ull);
	hash->sum = (hash->sum + word) * 0xa0761d6478bd642full;
}

static struct tally_callers *callers_slot(const struct tally_profile *profile,
					  const struct tally_callers_hash *hash)
{
	return &profile->callers[hash->mix & (profile->callers_slots - 1)];
}

void profile_callers_fetch(struct tally_profile *profile, struct tally_gathered *to)
{
	const uint64_t *words = profile->batch.words.data;
	struct tally_callers_hash hash = {(uintptr_t)profile->callers, 0};

	for (size_t i = to->callers; i < to->end; i++)
		hash_step(&hash, words[i]);
	to->hash = hash;
	__builtin_prefetch(callers_slot(profile, &hash));
}

static bool slot_has(const struct tally_callers *slot, const struct tally_callers_hash *hash)
{
	return slot->stack && slot->mix == hash->mix && slot->sum == (uint32_t)(hash->sum >> 32);
}

void profile_callers_expect(struct tally_profile *profile, const struct tally_gathered *from)
{
	const uint64_t *words = profile->batch.words.data;

	if (from->end == from->callers || slot_has(callers_slot(profile, &from->hash), &from->hash))
		return;
	for (size_t i = from->callers; i < from->end; i++)
		profile_address_fetch(profile, words[i]);
}

/* The frames of words, inner ones first, in the scratch vector. */
static int frames_of(struct tally_profile *profile, const uint64_t *words, size_t nr)
{
	uint32_t frame;
	int ret = 0;

	profile->scratch.len = 0;
	for (size_t i = 0; i < nr && !ret;) {
		ret = profile_frame(profile, words, &i, &frame);
		if (!ret)
			ret = tally_vec_push(&profile->scratch, frame);
	}
	return ret;
}

int profile_callers(struct tally_profile *profile, const struct tally_gathered *from,
		    uint32_t *ret_stack)
{
	struct tally_callers *slot = callers_slot(profile, &from->hash);
	uint32_t number;
	int ret;

	if (from->end == from->callers)
		return 0;
	if (slot_has(slot, &from->hash)) {
		*ret_stack = slot->stack;
		return 0;
	}
	ret = frames_of(profile, profile->batch.words.data + from->callers,
			from->end - from->callers);
	if (!ret)
		ret = tally_stacks_find(&profile->stacks, profile->scratch.data,
					(uint32_t)profile->scratch.len, &number);
	if (ret)
		return ret;
	*slot = (struct tally_callers){from->hash.mix, (uint32_t)(from->hash.sum >> 32), number};
	*ret_stack = number;
	return 0;
}
