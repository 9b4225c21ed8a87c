/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call paths as small numbers. A path is a frame and the path of its caller, so that all paths form
 * one tree with the outermost callers at its root, and a parent's number is smaller than its
 * children's.
 */
#ifndef TALLY_PROFILE_PATH_H
#define TALLY_PROFILE_PATH_H

#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"

/* A number that was found last, and whether it is the only one. */
struct tally_memo {
	uint32_t number : 31; /* 0: none yet */
	uint32_t is_hashed : 1;
};

struct tally_path {
	uint32_t parent; /* path of the caller; 0: none */
	uint32_t frame;
};

/* Path 0 is the empty one. */
#define TALLY_PATH_NONE 0

/* Most frames are only ever called from one path; only of the others are the paths hashed. */
struct tally_paths {
	TALLY_VEC(struct tally_path) all; /* [0] is the empty path */
	struct tally_memo *memos;         /* by frame: the path found last */
	size_t nr_frames;
	struct tally_slots slots;
};

/* A tree of nothing but the empty path, for frames below `nr_frames`. 0 or -ENOMEM. */
int tally_paths_init(struct tally_paths *paths, size_t nr_frames);

/* From now on for frames below `nr_frames`, if these are more. 0 or -ENOMEM, nothing changed. */
int tally_paths_reach(struct tally_paths *paths, size_t nr_frames);

/* The number of `frame` called from `parent`. 0 or -ENOMEM. */
int tally_paths_child(struct tally_paths *paths, uint32_t parent, uint32_t frame,
		      uint32_t *ret_path);

/* Drop all paths but the empty one. */
void tally_paths_clear(struct tally_paths *paths);

/* All zero is fine. */
void tally_paths_free(struct tally_paths *paths);

#endif
