/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers to paths. Most were seen before, in this process or another one of the same program, so
 * they are looked up as a whole, by a hash of the words that stand for them. What is not known as a
 * whole is made from its longest outer part that is.
 */
#include "profile/profile_private.h"

/* Outer parts of so many frames, and multiples of that, are looked up. */
enum { PART = 8 };

/* The hash of callers goes from the outermost one inwards, so that on its way it is that of every
 * outer part. Two sums that are independent make 96 bits; callers are taken for the same if all of
 * them are. */
static void hash_step(struct tally_callers_hash *hash, uint64_t word)
{
	hash->mix = tally_hash_mix(word ^ 0x9e3779b97f4a7c15ull, hash->mix ^ 0xd1b54a32d192ed03ull);
	hash->sum = (hash->sum + word) * 0xa0761d6478bd642full;
}

static struct tally_callers_hash hash_start(const struct tally_profile *profile)
{
	return (struct tally_callers_hash){(uintptr_t)profile->callers, 0};
}

static struct tally_callers *callers_slot(const struct tally_profile *profile,
					  const struct tally_callers_hash *hash)
{
	return &profile->callers[hash->mix & (profile->callers_slots - 1)];
}

static bool callers_known(const struct tally_profile *profile,
			  const struct tally_callers_hash *hash, uint32_t *ret_path)
{
	const struct tally_callers *slot = callers_slot(profile, hash);

	if (!slot->path || slot->mix != hash->mix || slot->sum != (uint32_t)(hash->sum >> 32))
		return false;
	*ret_path = slot->path;
	return true;
}

static void callers_remember(struct tally_profile *profile, const struct tally_callers_hash *hash,
			     uint32_t path)
{
	*callers_slot(profile, hash) =
		(struct tally_callers){hash->mix, (uint32_t)(hash->sum >> 32), path};
}

void profile_callers_fetch(struct tally_profile *profile, struct tally_gathered *to)
{
	const uint64_t *words = profile->batch.words.data;
	struct tally_callers_hash hash = hash_start(profile);

	for (size_t i = to->end; i-- > to->callers;)
		hash_step(&hash, words[i]);
	to->hash = hash;
	__builtin_prefetch(callers_slot(profile, &hash));
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

/* The longest outer part that is known, but for the whole: its number of words, and its path. */
static size_t known_part(struct tally_profile *profile, const struct tally_gathered *from,
			 struct tally_callers_hash *ret_hash, uint32_t *ret_path)
{
	const uint64_t *words = profile->batch.words.data;
	struct tally_callers_hash hash = hash_start(profile);
	size_t nr = from->end - from->callers, known = 0;

	*ret_hash = hash;
	/* Of three words there would be no telling which ones belong together. */
	if (from->has_odd)
		return 0;
	for (size_t i = 1; i < nr; i++) {
		hash_step(&hash, words[from->end - i]);
		if (i % PART == 0 && callers_known(profile, &hash, ret_path)) {
			known = i;
			*ret_hash = hash;
		}
	}
	return known;
}

int profile_callers(struct tally_profile *profile, const struct tally_gathered *from,
		    uint32_t *ret_path)
{
	const uint64_t *words = profile->batch.words.data;
	struct tally_callers_hash hash;
	uint32_t path = TALLY_PATH_NONE;
	size_t known, at;
	int ret;

	if (from->end == from->callers || callers_known(profile, &from->hash, ret_path))
		return 0;
	known = known_part(profile, from, &hash, &path);
	ret = frames_of(profile, words + from->callers, from->end - known - from->callers);
	at = known;
	for (size_t i = profile->scratch.len; i-- > 0 && !ret;) {
		ret = tally_paths_child(&profile->paths, path, profile->scratch.data[i], &path);
		if (from->has_odd)
			continue;
		hash_step(&hash, words[from->end - ++at]);
		if (!ret && at % PART == 0)
			callers_remember(profile, &hash, path);
	}
	if (ret)
		return ret;
	callers_remember(profile, &from->hash, path);
	*ret_path = path;
	return 0;
}
