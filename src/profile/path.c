/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/path.h"

#include <stdbool.h>

#include "base/hash.h"

enum { FIRST_SLOTS = 1024 };

static uint64_t frame_hash(const struct tally_frame *frame)
{
	uint64_t what = frame->symbol ? (uintptr_t)frame->symbol : frame->addr;

	return tally_hash_u64(what, (uintptr_t)frame->dso);
}

static bool frame_equal(const struct tally_frame *a, const struct tally_frame *b)
{
	return a->dso == b->dso && a->symbol == b->symbol && (a->symbol || a->addr == b->addr);
}

static uint64_t path_hash(const struct tally_path *path)
{
	return tally_hash_u64((uint64_t)path->parent << 32 | path->frame, 0);
}

static bool path_equal(const struct tally_path *a, const struct tally_path *b)
{
	return a->parent == b->parent && a->frame == b->frame;
}

/* Two tables of the same form: find `item`, or append it. */
#define DEFINE_INTERN(name, items, slots, nr_slots)                                          \
	static uint32_t *name##_slot(const struct tally_paths *paths,                        \
				     const struct tally_##name *item)                        \
	{                                                                                    \
		size_t mask = paths->nr_slots - 1, i = name##_hash(item) & mask;             \
                                                                                             \
		while (paths->slots[i] &&                                                    \
		       !name##_equal(&paths->items.data[paths->slots[i] - 1], item))         \
			i = (i + 1) & mask;                                                  \
		return &paths->slots[i];                                                     \
	}                                                                                    \
                                                                                             \
	static int name##_grow(struct tally_paths *paths)                                    \
	{                                                                                    \
		size_t nr = paths->nr_slots ? paths->nr_slots * 2 : FIRST_SLOTS;             \
		uint32_t *grown = calloc(nr, sizeof(*grown));                                \
                                                                                             \
		if (!grown)                                                                  \
			return -ENOMEM;                                                      \
		free(paths->slots);                                                          \
		paths->slots = grown;                                                        \
		paths->nr_slots = nr;                                                        \
		for (size_t i = 0; i < paths->items.len; i++)                                \
			*name##_slot(paths, &paths->items.data[i]) = (uint32_t)i + 1;        \
		return 0;                                                                    \
	}                                                                                    \
                                                                                             \
	static int name##_intern(struct tally_paths *paths, const struct tally_##name *item, \
				 uint32_t *ret_id)                                           \
	{                                                                                    \
		uint32_t *slot;                                                              \
                                                                                             \
		if ((paths->items.len + 1) * 4 > paths->nr_slots * 3 && name##_grow(paths))  \
			return -ENOMEM;                                                      \
		slot = name##_slot(paths, item);                                             \
		if (!*slot) {                                                                \
			if (paths->items.len >= UINT32_MAX - 1 ||                            \
			    tally_vec_push(&paths->items, *item))                            \
				return -ENOMEM;                                              \
			*slot = (uint32_t)paths->items.len;                                  \
		}                                                                            \
		*ret_id = *slot - 1;                                                         \
		return 0;                                                                    \
	}

DEFINE_INTERN(frame, frames, frame_slots, nr_frame_slots)
DEFINE_INTERN(path, paths, path_slots, nr_path_slots)

int tally_paths_frame(struct tally_paths *paths, struct tally_location *location,
		      uint32_t *ret_frame)
{
	struct tally_frame frame = {location->dso, location->symbol, location->addr, location->ip,
				    location->cpumode};
	int ret;

	if (!location->frame) {
		ret = frame_intern(paths, &frame, ret_frame);
		if (ret)
			return ret;
		location->frame = *ret_frame + 1;
	}
	*ret_frame = location->frame - 1;
	return 0;
}

int tally_paths_child(struct tally_paths *paths, uint32_t parent, uint32_t frame,
		      uint32_t *ret_path)
{
	/* The empty path comes first: no caller and no frame that exists. */
	const struct tally_path none = {UINT32_MAX, UINT32_MAX};
	const struct tally_path path = {parent, frame};
	uint32_t id;

	if (!paths->paths.len && path_intern(paths, &none, &id))
		return -ENOMEM;
	return path_intern(paths, &path, ret_path);
}

void tally_paths_free(struct tally_paths *paths)
{
	tally_vec_free(&paths->frames);
	tally_vec_free(&paths->paths);
	free(paths->frame_slots);
	free(paths->path_slots);
	*paths = (struct tally_paths){0};
}
