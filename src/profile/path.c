/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/path.h"

#include <stdbool.h>

#include "base/arith.h"
#include "base/hash.h"

enum { NUMBER_MAX = INT32_MAX };

static uint32_t frame_hash(const struct tally_frame *frame)
{
	uint64_t what = frame->symbol ? (uintptr_t)frame->symbol : frame->addr;

	return (uint32_t)tally_hash_u64(what, (uintptr_t)frame->dso);
}

static bool frame_equal(const struct tally_frame *a, const struct tally_frame *b)
{
	return a->dso == b->dso && a->symbol == b->symbol && (a->symbol || a->addr == b->addr);
}

static int frame_add(struct tally_paths *paths, const struct tally_frame *frame, uint32_t hash,
		     uint32_t *ret_frame)
{
	uint32_t number = (uint32_t)paths->frames.len;

	if (paths->frames.len >= NUMBER_MAX ||
	    tally_vec_reserve(&paths->frames, paths->frames.len + 1) ||
	    tally_vec_reserve(&paths->callers, paths->frames.len + 1) ||
	    tally_slots_add(&paths->frame_slots, hash, number))
		return -ENOMEM;
	paths->frames.data[paths->frames.len++] = *frame;
	paths->callers.data[paths->callers.len++] = (struct tally_memo){0};
	*ret_frame = number;
	return 0;
}

int tally_paths_frame(struct tally_paths *paths, const struct tally_location *location,
		      uint32_t *ret_frame)
{
	struct tally_frame frame = {location->dso, location->symbol, location->addr,
				    location->cpumode};
	uint32_t hash = frame_hash(&frame), number;

	for (size_t pos = hash; tally_slots_next(&paths->frame_slots, hash, &pos, &number);) {
		if (frame_equal(&paths->frames.data[number], &frame)) {
			*ret_frame = number;
			return 0;
		}
	}
	return frame_add(paths, &frame, hash, ret_frame);
}

static uint32_t path_hash(struct tally_path path)
{
	return (uint32_t)tally_hash_u64((uint64_t)path.parent << 32 | path.frame, 0);
}

static int path_add(struct tally_paths *paths, struct tally_path path, uint32_t *ret_path)
{
	/* The empty path comes first: no caller and no frame that exists. */
	if (!paths->paths.len &&
	    tally_vec_push(&paths->paths, (struct tally_path){UINT32_MAX, UINT32_MAX}))
		return -ENOMEM;
	if (paths->paths.len >= NUMBER_MAX || tally_vec_push(&paths->paths, path))
		return -ENOMEM;
	*ret_path = (uint32_t)paths->paths.len - 1;
	return 0;
}

static int path_intern(struct tally_paths *paths, struct tally_path path, uint32_t *ret_path)
{
	uint32_t hash = path_hash(path), number;
	int ret;

	for (size_t pos = hash; tally_slots_next(&paths->path_slots, hash, &pos, &number);) {
		if (paths->paths.data[number].parent == path.parent &&
		    paths->paths.data[number].frame == path.frame) {
			*ret_path = number;
			return 0;
		}
	}
	ret = path_add(paths, path, &number);
	if (!ret)
		ret = tally_slots_add(&paths->path_slots, hash, number);
	if (!ret)
		*ret_path = number;
	return ret;
}

int tally_paths_child(struct tally_paths *paths, uint32_t parent, uint32_t frame,
		      uint32_t *ret_path)
{
	struct tally_memo *memo = &paths->callers.data[frame];
	const struct tally_path path = {parent, frame};
	uint32_t found = memo->number;
	int ret = 0;

	if (!found) {
		ret = path_add(paths, path, &found);
	} else if (paths->paths.data[found].parent != parent) {
		if (!memo->is_hashed)
			ret = tally_slots_add(&paths->path_slots,
					      path_hash(paths->paths.data[found]), found);
		memo->is_hashed |= !ret;
		if (!ret)
			ret = path_intern(paths, path, &found);
	}
	if (ret)
		return ret;
	memo->number = found & NUMBER_MAX;
	*ret_path = found;
	return 0;
}

/* Note what was moved, as if it had just been found. */
static int paths_index(struct tally_paths *paths)
{
	int ret = tally_vec_reserve(&paths->callers, paths->frames.len + 1);

	for (uint32_t i = 0; i < paths->frames.len && !ret; i++) {
		paths->callers.data[i] = (struct tally_memo){0};
		paths->callers.len = i + 1;
		ret = tally_slots_add(&paths->frame_slots, frame_hash(&paths->frames.data[i]), i);
	}
	for (uint32_t i = 1; i < paths->paths.len && !ret; i++) {
		struct tally_memo *memo = &paths->callers.data[paths->paths.data[i].frame];

		if (memo->number && !memo->is_hashed)
			ret = tally_slots_add(&paths->path_slots,
					      path_hash(paths->paths.data[memo->number]),
					      memo->number);
		if (memo->number && !ret) {
			memo->is_hashed = 1;
			ret = tally_slots_add(&paths->path_slots, path_hash(paths->paths.data[i]),
					      i);
		}
		memo->number = i & NUMBER_MAX;
	}
	return ret;
}

int tally_paths_sweep(struct tally_paths *paths, uint32_t *frames, uint32_t *marked)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < paths->frames.len; i++) {
		if (!frames[i])
			continue;
		paths->frames.data[left] = paths->frames.data[i];
		frames[i] = left++;
	}
	paths->frames.len = left;
	/* Callers come first, so theirs are new numbers already. */
	left = TALLY_MIN(paths->paths.len, 1u);
	for (uint32_t i = 1; i < paths->paths.len; i++) {
		struct tally_path path = paths->paths.data[i];

		if (!marked[i])
			continue;
		paths->paths.data[left] = (struct tally_path){path.parent ? marked[path.parent] : 0,
							      frames[path.frame]};
		marked[i] = left++;
	}
	paths->paths.len = left;
	tally_paths_forget(paths);
	return paths_index(paths);
}

void tally_paths_forget(struct tally_paths *paths)
{
	tally_vec_free(&paths->callers);
	tally_slots_free(&paths->frame_slots);
	tally_slots_free(&paths->path_slots);
}

void tally_paths_free(struct tally_paths *paths)
{
	tally_paths_forget(paths);
	tally_vec_free(&paths->frames);
	tally_vec_free(&paths->paths);
}
