/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts callers to stacks. Most callers have been seen before, in this process or in another
 * process of the same program, so they are looked up as a whole by a hash of their location keys.
 */
#include "profile/chain.h"

#include <string.h>

#include "base/arith.h"

/* Add a location key to a hash. Two independent sums have 95 bits in total; callers with equal sums
 * are considered equal. */
static void hash_step(struct tally_callers_hash *hash, uint64_t location_key)
{
	hash->mix = tally_hash_mix(location_key ^ 0x9e3779b97f4a7c15ull,
				   hash->mix ^ 0xd1b54a32d192ed03ull);
	hash->sum = (hash->sum + location_key) * 0xa0761d6478bd642full;
}

/* Return the upper half of the second sum, which is the part that is stored. */
static uint32_t hash_upper(const struct tally_callers_hash *hash)
{
	return (uint32_t)(hash->sum >> 33);
}

static struct tally_callers *callers_slot(const struct tally_profile *profile,
					  const struct tally_callers_hash *hash)
{
	return &profile->callers[hash->mix & (profile->callers_slots - 1)];
}

void profile_callers_prefetch(struct tally_profile *profile, struct tally_gathered *to)
{
	const uint64_t *location_keys = profile->batch->location_keys.data;
	/* The meaning of location keys depends on the kernel's maps, and on how many of the keys
	 * are return addresses. */
	struct tally_callers_hash hash = {(uintptr_t)profile->callers ^
						  (uint64_t)profile->batch->kernel_number << 32,
					  to->returns - to->callers};

	for (size_t i = to->callers; i < to->end; i++)
		hash_step(&hash, location_keys[i]);
	to->hash = hash;
	__builtin_prefetch(callers_slot(profile, &hash));
}

void profile_callers_lookup(struct tally_profile *profile, struct tally_gathered *sample)
{
	const struct tally_callers *slot = callers_slot(profile, &sample->hash);
	const uint64_t *location_keys = profile->batch->location_keys.data;

	if (slot->stack && slot->mix == sample->hash.mix &&
	    slot->sum == hash_upper(&sample->hash)) {
		sample->key.callers = slot->stack;
		sample->is_astray = slot->is_astray;
		return;
	}
	sample->is_new = true;
	profile->nr_missed++;
	for (size_t i = sample->callers; i < sample->end; i++)
		profile_address_prefetch(profile, location_keys[i]);
}

/* Return true if programs or threads start in this function. Such a function has no callers, so any
 * frames after it in a chain are stale stack data, and no frames are missing. */
static bool frame_is_start(const struct tally_frame *frame)
{
	static const char *const names[] = {
		"_start",
		"_start_c",
		"__libc_start_main",
		"__libc_start_main_impl",
		"__libc_start_call_main",
		"libc_start_main_stage2",
		"generic_start_main",
		"start_thread",
		"clone",
		"__clone",
		"clone3",
		"__clone3",
	};
	const char *name = frame->symbol ? tally_symbol_name(frame->dso, frame->symbol) : "";

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		size_t len = strlen(names[i]);

		/* Symbols may have a version, as in "__libc_start_main@@GLIBC_2.34". */
		if (!strncmp(names[i], name, len) && (!name[len] || name[len] == '@'))
			return true;
	}
	return false;
}

/* End a sample's list of frames with the frame `cut` where the chain is broken. */
static int callers_end(struct tally_profile *profile, struct tally_gathered *sample, uint32_t cut)
{
	struct tally_batch *batch = profile->batch;

	if (batch->frames.len > sample->frames &&
	    frame_is_start(&profile->frames.all.data[batch->frames.data[batch->frames.len - 1]]))
		return 0;
	sample->is_astray = true;
	return tally_vec_push(&batch->frames, cut);
}

int profile_callers_frames(struct tally_profile *profile, struct tally_gathered *sample)
{
	struct tally_batch *batch = profile->batch;
	const uint64_t *keys = batch->location_keys.data;
	uint32_t frame;
	int ret = 0;

	sample->is_astray = false;
	sample->frames = (uint32_t)batch->frames.len;
	profile->in_callers = true;
	for (size_t i = sample->callers; i < sample->end && !ret;) {
		if (i < sample->returns)
			ret = profile_frame(profile, keys, &i, &frame);
		else if (sample->callers_from == TALLY_CALLERS_VALIDATED)
			ret = profile_caller(profile, keys, &i, &frame);
		else
			ret = profile_caller_unvalidated(profile, keys, &i, &frame);
		if (ret < 0 || (ret ? callers_end(profile, sample, frame)
				    : tally_vec_push(&batch->frames, frame)))
			ret = -ENOMEM;
	}
	profile->in_callers = false;
	sample->nr_frames = (uint32_t)batch->frames.len - sample->frames;
	sample->frames_hash =
		tally_stacks_hash(batch->frames.data + sample->frames, sample->nr_frames);
	tally_stacks_prefetch(&profile->stacks, sample->frames_hash);
	return ret < 0 ? ret : 0;
}

int profile_callers_stack(struct tally_profile *profile, struct tally_gathered *sample)
{
	int ret = tally_stacks_find(&profile->stacks, profile->batch->frames.data + sample->frames,
				    sample->nr_frames, sample->frames_hash, &sample->key.callers);

	if (!ret)
		*callers_slot(profile, &sample->hash) =
			(struct tally_callers){sample->hash.mix, hash_upper(&sample->hash),
					       sample->is_astray, sample->key.callers};
	return ret;
}
