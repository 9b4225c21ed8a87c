/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of the code between two branches, from branch stacks that contain cycles. */
#ifndef TALLY_PROFILE_BLOCKS_H
#define TALLY_PROFILE_BLOCKS_H

#include "base/intern.h"
#include "base/vec.h"
#include "profile/process/branch_stack.h"

/* The code from the target of a branch to the source of the next one, in one function. */
struct tally_block {
	struct tally_dso *dso; /* NULL if not mapped */
	const struct tally_symbol *symbol;
	uint64_t start, end; /* addresses of instructions in the DSO's space */
	uint32_t event;
	uint8_t cpumode;
	uint64_t nr, cycles; /* times it was found in a branch stack, and their cycles */
};

/* A zero-initialised structure has no blocks. */
struct tally_blocks {
	TALLY_VEC(struct tally_block) all;
	struct tally_intern keys;
};

/* Add the blocks in the sample's branch stack. Branches without cycles are left out. Returns 0 or
 * -ENOMEM. */
int tally_blocks_add(struct tally_blocks *blocks, struct tally_machine *machine,
		     const struct tally_feed_sample *sample);

/* Sort the blocks by event, and those of an event by cycles, most first. No more can be added. */
void tally_blocks_sort(struct tally_blocks *blocks);

void tally_blocks_free(struct tally_blocks *blocks);

#endif
