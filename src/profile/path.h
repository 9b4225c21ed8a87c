/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames and call paths as small numbers. A frame is a function, or an address without one;
 * a path is a frame and the path of its caller, so that all paths form one tree with the
 * outermost callers at its root, and a parent's number is smaller than its children's.
 */
#ifndef TALLY_PROFILE_PATH_H
#define TALLY_PROFILE_PATH_H

#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"
#include "profile/machine.h"

struct tally_frame {
	struct tally_dso *dso; /* NULL: not mapped */
	const struct tally_symbol *symbol;
	uint64_t addr; /* of frames without a symbol: in the DSO's space */
	uint8_t cpumode;
};

/* A number that was found last, and whether it is the only one. */
struct tally_memo {
	uint32_t number : 31; /* 0: none yet */
	uint32_t is_hashed : 1;
};

struct tally_path {
	uint32_t parent; /* path of the caller; 0: none */
	uint32_t frame;
};

/* Path 0 is the empty one. All zero is an empty table of either. */
#define TALLY_PATH_NONE 0

/* Most frames are only ever called from one path; only of the others are the paths hashed. */
struct tally_paths {
	TALLY_VEC(struct tally_frame) frames;
	TALLY_VEC(struct tally_memo) callers; /* by frame: the path found last */
	TALLY_VEC(struct tally_path) paths;   /* [0] is the empty path */
	struct tally_slots frame_slots, path_slots;
};

/* The number of the frame that `location` is in. 0 or -ENOMEM. */
int tally_paths_frame(struct tally_paths *paths, const struct tally_location *location,
		      uint32_t *ret_frame);

/* The number of `frame` called from `parent`. 0 or -ENOMEM. */
int tally_paths_child(struct tally_paths *paths, uint32_t parent, uint32_t frame,
		      uint32_t *ret_path);

/* Keep the frames and paths that have a mark, by number; a path's callers and frames have one too.
 * Marks become the new numbers. 0; -ENOMEM: some may not be found again and be made twice. */
int tally_paths_sweep(struct tally_paths *paths, uint32_t *frames, uint32_t *marked);

/* Free what is needed to find frames and paths again; none may be asked for any more. */
void tally_paths_forget(struct tally_paths *paths);

void tally_paths_free(struct tally_paths *paths);

#endif
