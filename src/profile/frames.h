/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames as small numbers. A frame is a function, or an address without one. */
#ifndef TALLY_PROFILE_FRAMES_H
#define TALLY_PROFILE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"
#include "profile/machine.h"
#include "symbols/lines.h"

/* More are no more than memory that is out. */
enum { TALLY_FRAMES_MAX = (1 << 30) - 1 };

struct tally_frame {
	struct tally_dso *dso; /* NULL: not mapped */
	const struct tally_symbol *symbol;
	uint64_t addr; /* of frames without a symbol, or exact ones: in the DSO's space */
	const struct tally_line *line; /* of exact frames, once they are known; or NULL */
	uint8_t cpumode;
	bool is_exact; /* an address, even in a function: its lines are wanted */
};

/* All zero is an empty table. */
struct tally_frames {
	TALLY_VEC(struct tally_frame) all;
	struct tally_slots slots;
};

/* The number of the frame that `location` is in. 0 or -ENOMEM. */
int tally_frames_find(struct tally_frames *frames, const struct tally_location *location,
		      uint32_t *ret_frame);

/* The same of any frame. */
int tally_frames_add(struct tally_frames *frames, const struct tally_frame *frame,
		     uint32_t *ret_frame);

/* Prefetch the memory where the frame of a location key of this hash is looked for, if it has no
 * symbol. */
static inline void tally_frames_prefetch(const struct tally_frames *frames, uint64_t key_hash)
{
	tally_slots_prefetch(&frames->slots, (uint32_t)key_hash);
}

/* Keep the frames that have a mark, by number. Marks become the new numbers. 0; -ENOMEM: some may
 * not be found again and be made twice. */
int tally_frames_sweep(struct tally_frames *frames, uint32_t *marks);

/* Free what is needed to find frames again; none may be asked for any more. */
void tally_frames_forget(struct tally_frames *frames);

void tally_frames_free(struct tally_frames *frames);

#endif
