/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers as small numbers: arrays of frames, inner ones first, laid one behind the other, each
 * kept once. A tree would take less room for what stacks have in common, but every frame would be
 * a look-up somewhere in it; so trees are made of what is shown only (path.h).
 */
#ifndef TALLY_PROFILE_STACKS_H
#define TALLY_PROFILE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"
#include "base/vec.h"

/* The empty stack, which is in every table. */
#define TALLY_STACK_NONE 0

/* A stack's number is its place among the words: how many frames there are, and the frames. All
 * zero is an empty table. */
struct tally_stacks {
	TALLY_VEC(uint32_t) words;
	struct tally_slots slots;
};

struct tally_stack {
	const uint32_t *frames;
	uint32_t nr;
};

/* The frames of stack `number`; valid until another one is found. */
static inline struct tally_stack tally_stacks_get(const struct tally_stacks *stacks,
						  uint32_t number)
{
	const uint32_t *words = stacks->words.data;

	if (number == TALLY_STACK_NONE)
		return (struct tally_stack){NULL, 0};
	return (struct tally_stack){&words[number + 1], words[number]};
}

/* The hash of a stack of `nr` frames. */
uint32_t tally_stacks_hash(const uint32_t *frames, uint32_t nr);

/* Prefetch the memory where stacks of this hash are looked for. */
static inline void tally_stacks_prefetch(const struct tally_stacks *stacks, uint32_t hash)
{
	tally_slots_prefetch(&stacks->slots, hash);
}

/* The number of a stack of `nr` frames, at least one, and their hash. 0 or -ENOMEM. */
int tally_stacks_find(struct tally_stacks *stacks, const uint32_t *frames, uint32_t nr,
		      uint32_t hash, uint32_t *ret_stack);

/* Keep the stacks that have a mark, by number. Marks become the new numbers, and `frames` has those
 * of all their frames. 0; -ENOMEM: some may not be found again and be made twice. */
int tally_stacks_sweep(struct tally_stacks *stacks, uint32_t *marks, const uint32_t *frames);

/* Free what is needed to find stacks again; none may be asked for any more. */
void tally_stacks_forget(struct tally_stacks *stacks);

void tally_stacks_free(struct tally_stacks *stacks);

#endif
