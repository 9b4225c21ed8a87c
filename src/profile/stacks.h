/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers as small numbers: arrays of frames, innermost first, concatenated, each stored once. A
 * tree would need less memory for the parts that stacks share, but each frame would be a random
 * access. Trees are therefore built only for the stacks shown (profile_path.h).
 */
#ifndef TALLY_PROFILE_STACKS_H
#define TALLY_PROFILE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"

/* The empty stack, which is in every table. */
#define TALLY_STACK_NONE 0

/* The number of a stack is its index in `words`, which contains the number of frames, then the
 * frames. All zero is an empty table. */
struct tally_stacks {
	TALLY_VEC(uint32_t) words;
	struct tally_slots slots;
};

struct tally_stack {
	const uint32_t *frames;
	uint32_t nr;
};

/* Return the frames of stack `number`, valid until another one is added. */
static inline struct tally_stack tally_stacks_get(const struct tally_stacks *stacks,
						  uint32_t number)
{
	const uint32_t *words = stacks->words.data;

	if (number == TALLY_STACK_NONE)
		return (struct tally_stack){NULL, 0};
	return (struct tally_stack){&words[number + 1], words[number]};
}

/* Return the hash of a stack of `nr` frames. */
uint32_t tally_stacks_hash(const uint32_t *frames, uint32_t nr);

/* Prefetch the slots of stacks with this hash. */
static inline void tally_stacks_prefetch(const struct tally_stacks *stacks, uint32_t hash)
{
	tally_slots_prefetch(&stacks->slots, hash);
}

/* Find a stack of `nr` frames (at least one) with this hash, or add it. Returns 0 or -ENOMEM. */
int tally_stacks_find(struct tally_stacks *stacks, const uint32_t *frames, uint32_t nr,
		      uint32_t hash, uint32_t *ret_stack);

/* Remove stacks with a mark of 0; marks are by stack number. The other marks are set to the new
 * numbers. `frames` has the new numbers of all their frames. Returns 0, or -ENOMEM: then some
 * stacks are missing from the index, and are added again when needed. */
int tally_stacks_sweep(struct tally_stacks *stacks, uint32_t *marks, const uint32_t *frames);

/* Free the index. Stacks can no longer be found or added. */
void tally_stacks_free_index(struct tally_stacks *stacks);

void tally_stacks_free(struct tally_stacks *stacks);

#endif
