/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile_path.h"

#include <string.h>

#include "base/hash.h"

enum { NUMBER_MAX = INT32_MAX };

int tally_paths_init(struct tally_paths *paths, size_t nr_frames)
{
	struct tally_paths made = {.memos = calloc(nr_frames + 1, sizeof(*made.memos)),
				   .nr_frames = nr_frames};

	/* The empty path has no caller and no frame. */
	if (!made.memos || tally_vec_push(&made.all, (struct tally_path){UINT32_MAX, UINT32_MAX})) {
		tally_paths_free(&made);
		return -ENOMEM;
	}
	*paths = made;
	return 0;
}

int tally_paths_reach(struct tally_paths *paths, size_t nr_frames)
{
	size_t cap = paths->nr_frames;
	struct tally_memo *memos;

	if (nr_frames <= paths->nr_frames)
		return 0;
	memos = tally_vec_grow(paths->memos, &cap, sizeof(*memos), nr_frames);
	if (!memos)
		return -ENOMEM;
	memset(memos + paths->nr_frames, 0, (cap - paths->nr_frames) * sizeof(*memos));
	paths->memos = memos;
	paths->nr_frames = cap;
	return 0;
}

static uint32_t path_hash(struct tally_path path)
{
	return (uint32_t)tally_hash_u64((uint64_t)path.parent << 32 | path.frame, 0);
}

static int path_add(struct tally_paths *paths, struct tally_path path, uint32_t *ret_path)
{
	if (paths->all.len >= NUMBER_MAX || tally_vec_push(&paths->all, path))
		return -ENOMEM;
	*ret_path = (uint32_t)paths->all.len - 1;
	return 0;
}

static int path_intern(struct tally_paths *paths, struct tally_path path, uint32_t *ret_path)
{
	uint32_t hash = path_hash(path), number;
	int ret;

	for (size_t pos = hash; tally_slots_next(&paths->slots, hash, &pos, &number);) {
		if (paths->all.data[number].parent == path.parent &&
		    paths->all.data[number].frame == path.frame) {
			*ret_path = number;
			return 0;
		}
	}
	ret = path_add(paths, path, &number);
	if (!ret)
		ret = tally_slots_add(&paths->slots, hash, number);
	if (!ret)
		*ret_path = number;
	return ret;
}

int tally_paths_child(struct tally_paths *paths, uint32_t parent, uint32_t frame,
		      uint32_t *ret_path)
{
	struct tally_memo *memo = &paths->memos[frame];
	const struct tally_path path = {parent, frame};
	uint32_t found = memo->number;
	int ret = 0;

	if (!found) {
		ret = path_add(paths, path, &found);
	} else if (paths->all.data[found].parent != parent) {
		if (!memo->is_hashed)
			ret = tally_slots_add(&paths->slots, path_hash(paths->all.data[found]),
					      found);
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

void tally_paths_clear(struct tally_paths *paths)
{
	for (size_t i = 1; i < paths->all.len; i++)
		paths->memos[paths->all.data[i].frame] = (struct tally_memo){0};
	paths->all.len = 1;
	tally_slots_free(&paths->slots);
}

void tally_paths_free(struct tally_paths *paths)
{
	tally_vec_free(&paths->all);
	free(paths->memos);
	tally_slots_free(&paths->slots);
	*paths = (struct tally_paths){0};
}
