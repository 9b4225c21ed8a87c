/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile_frames.h"

#include "base/hash.h"

/* Return the hash of a frame. The hash of an address without a symbol equals the hash of its
 * location key, so that the frame's slot can be prefetched by location key. */
static uint32_t frame_hash(const struct tally_frame *frame)
{
	uint64_t what = frame->symbol && !frame->is_exact
				? (uintptr_t)frame->symbol
				: tally_location_key_in_dso(frame->dso, frame->addr);

	return (uint32_t)tally_hash_u64(what, 0);
}

static bool frame_equal(const struct tally_frame *a, const struct tally_frame *b)
{
	return a->dso == b->dso && a->symbol == b->symbol && a->is_exact == b->is_exact &&
	       a->line == b->line && ((a->symbol && !a->is_exact) || a->addr == b->addr);
}

int tally_frames_add(struct tally_frames *frames, const struct tally_frame *frame,
		     uint32_t *ret_frame)
{
	uint32_t hash = frame_hash(frame), number;

	for (size_t pos = hash; tally_slots_next(&frames->slots, hash, &pos, &number);) {
		if (frame_equal(&frames->all.data[number], frame)) {
			*ret_frame = number;
			return 0;
		}
	}
	number = (uint32_t)frames->all.len;
	if (number >= TALLY_FRAMES_MAX || tally_vec_reserve(&frames->all, frames->all.len + 1) ||
	    tally_slots_add(&frames->slots, hash, number))
		return -ENOMEM;
	frames->all.data[frames->all.len++] = *frame;
	*ret_frame = number;
	return 0;
}

int tally_frames_find(struct tally_frames *frames, const struct tally_location *location,
		      uint32_t *ret_frame)
{
	const struct tally_frame frame = {.dso = location->dso,
					  .symbol = location->symbol,
					  .addr = location->addr,
					  .cpumode = location->cpumode};

	return tally_frames_add(frames, &frame, ret_frame);
}

int tally_frames_sweep(struct tally_frames *frames, uint32_t *marks)
{
	uint32_t left = 0;
	int ret = 0;

	frames->nr_sweeps++;
	tally_slots_free(&frames->slots);
	for (uint32_t i = 0; i < frames->all.len; i++) {
		if (!marks[i])
			continue;
		frames->all.data[left] = frames->all.data[i];
		if (!ret)
			ret = tally_slots_add(&frames->slots, frame_hash(&frames->all.data[left]),
					      left);
		marks[i] = left++;
	}
	frames->all.len = left;
	return ret;
}

void tally_frames_free_index(struct tally_frames *frames)
{
	tally_slots_free(&frames->slots);
}

void tally_frames_free(struct tally_frames *frames)
{
	tally_frames_free_index(frames);
	tally_vec_free(&frames->all);
}
