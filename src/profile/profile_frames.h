/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of frames, which are referred to by small numbers. A frame is a function, or an address
 * outside all functions. */
#ifndef TALLY_PROFILE_FRAMES_H
#define TALLY_PROFILE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"
#include "profile/process/machine.h"
#include "symbols/lines/symbols_lines.h"

/* Maximum number of frames. If it is exceeded, -ENOMEM is returned. */
enum { TALLY_FRAMES_MAX = (1 << 30) - 1 };

struct tally_frame {
	struct tally_dso *dso; /* NULL if not mapped */
	const struct tally_symbol *symbol;
	uint64_t addr; /* in the DSO's space; for frames that are exact or have no symbol */
	const struct tally_line *line; /* NULL if unknown or if the frame is not exact */
	uint8_t cpumode;
	bool is_exact; /* is an address, even inside a function, because lines are needed */
};

/* An all-zero structure is an empty table. */
struct tally_frames {
	TALLY_VEC(struct tally_frame) all;
	struct tally_slots slots;
	uint64_t nr_sweeps; /* calls of tally_frames_sweep() */
};

/* Find the frame that contains `location`, adding it if it is new, and return its number in
 * `*ret_frame`. Returns 0 or -ENOMEM. */
int tally_frames_find(struct tally_frames *frames, const struct tally_location *location,
		      uint32_t *ret_frame);

/* Find or add any frame, like tally_frames_find(). */
int tally_frames_add(struct tally_frames *frames, const struct tally_frame *frame,
		     uint32_t *ret_frame);

/* Prefetch the slot of the frame for a location key with this hash, if that frame has no symbol. */
static inline void tally_frames_prefetch(const struct tally_frames *frames, uint64_t key_hash)
{
	tally_slots_prefetch(&frames->slots, (uint32_t)key_hash);
}

/* Remove all frames with a mark of 0. `marks` is indexed by frame; nonzero marks are replaced with
 * the new frame numbers. Returns 0 or -ENOMEM. On -ENOMEM, some frames are missing from the index,
 * and are added again when needed. */
int tally_frames_sweep(struct tally_frames *frames, uint32_t *marks);

/* Free the index. Afterwards, frames can no longer be found or added. */
void tally_frames_free_index(struct tally_frames *frames);

void tally_frames_free(struct tally_frames *frames);

#endif
