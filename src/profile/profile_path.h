/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table of call paths, which are referred to by small numbers. A path is a frame and the path of
 * its caller. All paths form a single tree with the outermost callers at its root. A parent has a
 * smaller number than its children.
 */
#ifndef TALLY_PROFILE_PATH_H
#define TALLY_PROFILE_PATH_H

#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"

/* The last path found for a frame. `is_hashed` is set if the frame has other paths. */
struct tally_memo {
	uint32_t number : 31; /* 0 if none yet */
	uint32_t is_hashed : 1;
};

struct tally_path {
	uint32_t parent; /* path of the caller; 0 if there is no caller */
	uint32_t frame;
};

/* The empty path. */
#define TALLY_PATH_NONE 0

/* Tree of paths. Most frames are called from a single path; only the paths of other frames are
 * hashed. */
struct tally_paths {
	TALLY_VEC(struct tally_path) all; /* [0] is the empty path */
	struct tally_memo *memos;         /* last path found for each frame */
	size_t nr_frames;
	struct tally_slots slots;
};

/* Initialize a tree that contains only the empty path, for frame numbers below `nr_frames`. Returns
 * 0 or -ENOMEM. */
int tally_paths_init(struct tally_paths *paths, size_t nr_frames);

/* Extend the tree to frame numbers below `nr_frames`. Returns 0, or -ENOMEM with the tree
 * unchanged. */
int tally_paths_reach(struct tally_paths *paths, size_t nr_frames);

/* Return the path of `frame` called from `parent`, adding it if it is new. Returns 0 or -ENOMEM. */
int tally_paths_child(struct tally_paths *paths, uint32_t parent, uint32_t frame,
		      uint32_t *ret_path);

/* Remove all paths except the empty path. */
void tally_paths_clear(struct tally_paths *paths);

/* Free a tree. An all-zero tree is allowed. */
void tally_paths_free(struct tally_paths *paths);

#endif
