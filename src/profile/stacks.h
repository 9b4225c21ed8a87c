/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table of caller lists, which are referred to by small numbers. A caller list is an array of
 * frames, innermost first. The arrays are concatenated, and identical arrays are stored only once.
 * A tree would save memory for the frames that stacks share, but would need a random access for
 * each frame. Trees are therefore built only for the stacks that are displayed (profile_path.h).
 */
#ifndef TALLY_PROFILE_STACKS_H
#define TALLY_PROFILE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"

/* The empty stack, which exists in every table. */
#define TALLY_STACK_NONE 0

/* A stack's number is its index in `words`, where the number of frames is stored, followed by the
 * frames. An all-zero structure is an empty table. */
struct tally_stacks {
	TALLY_VEC(uint32_t) words;
	struct tally_slots slots;
};

struct tally_stack {
	const uint32_t *frames;
	uint32_t nr;
};

/* Return the frames of stack `number`. The result is valid until another stack is added. */
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

/* Prefetch the slots for stacks with this hash. */
static inline void tally_stacks_prefetch(const struct tally_stacks *stacks, uint32_t hash)
{
	tally_slots_prefetch(&stacks->slots, hash);
}

/* Find or add a stack of `nr` frames (at least one) with this hash. Returns 0 or -ENOMEM. */
int tally_stacks_find(struct tally_stacks *stacks, const uint32_t *frames, uint32_t nr,
		      uint32_t hash, uint32_t *ret_stack);

/* Remove all stacks with a mark of 0. `marks` is indexed by stack; nonzero marks are replaced with
 * the new stack numbers. `frames` contains the new number of each frame. Returns 0 or -ENOMEM. On
 * -ENOMEM, some stacks are missing from the index, and are added again when needed. */
int tally_stacks_sweep(struct tally_stacks *stacks, uint32_t *marks, const uint32_t *frames);

/* Free the index. Afterwards, stacks can no longer be found or added. */
void tally_stacks_free_index(struct tally_stacks *stacks);

void tally_stacks_free(struct tally_stacks *stacks);

#endif
