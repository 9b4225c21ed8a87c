/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call paths as small numbers. A path is a frame and the path of its caller. All paths form one
 * tree with the outermost callers at its root; the number of a parent is smaller than those of its
 * children.
 */
#ifndef TALLY_PROFILE_PATH_H
#define TALLY_PROFILE_PATH_H

#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"

/* The path of a frame that was found last; `is_hashed` if the frame has others. */
struct tally_memo {
	uint32_t number : 31; /* 0: none yet */
	uint32_t is_hashed : 1;
};

struct tally_path {
	uint32_t parent; /* path of the caller; 0: none */
	uint32_t frame;
};

/* The empty path. */
#define TALLY_PATH_NONE 0

/* Most frames are called from one path only. Only the paths of the others are hashed. */
struct tally_paths {
	TALLY_VEC(struct tally_path) all; /* [0] is the empty path */
	struct tally_memo *memos;         /* by frame: the path found last */
	size_t nr_frames;
	struct tally_slots slots;
};

/* Initialize a tree with only the empty path, for frame numbers below `nr_frames`. Returns 0 or
 * -ENOMEM. */
int tally_paths_init(struct tally_paths *paths, size_t nr_frames);

/* Extend the tree to frame numbers below `nr_frames`. Returns 0, or -ENOMEM without changes. */
int tally_paths_reach(struct tally_paths *paths, size_t nr_frames);

/* Return the path of `frame` called from `parent`, adding it if it is new. Returns 0 or -ENOMEM. */
int tally_paths_child(struct tally_paths *paths, uint32_t parent, uint32_t frame,
		      uint32_t *ret_path);

/* Remove all paths except the empty one. */
void tally_paths_clear(struct tally_paths *paths);

/* Free a tree. An all-zero one is allowed. */
void tally_paths_free(struct tally_paths *paths);

#endif
