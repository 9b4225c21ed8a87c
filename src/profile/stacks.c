/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/stacks.h"

#include <stdbool.h>
#include <string.h>

#include "base/hash.h"

uint32_t tally_stacks_hash(const uint32_t *frames, uint32_t nr)
{
	uint64_t hash = nr;

	for (uint32_t i = 0; i < nr; i++)
		hash = (hash ^ frames[i]) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)tally_hash_u64(hash, 0);
}

static bool stack_equal(const struct tally_stacks *stacks, uint32_t number, const uint32_t *frames,
			uint32_t nr)
{
	struct tally_stack stack = tally_stacks_get(stacks, number);

	return stack.nr == nr && !memcmp(stack.frames, frames, nr * sizeof(*frames));
}

static int stack_add(struct tally_stacks *stacks, const uint32_t *frames, uint32_t nr,
		     uint32_t hash, uint32_t *ret_stack)
{
	/* Skip number 0, which is the empty stack. */
	uint32_t number = (uint32_t)stacks->words.len + !stacks->words.len;

	if (stacks->words.len + nr >= UINT32_MAX - 2 ||
	    tally_vec_reserve(&stacks->words, (size_t)number + nr + 1) ||
	    tally_slots_add(&stacks->slots, hash, number))
		return -ENOMEM;
	stacks->words.data[0] = 0;
	stacks->words.data[number] = nr;
	memcpy(&stacks->words.data[number + 1], frames, nr * sizeof(*frames));
	stacks->words.len = (size_t)number + nr + 1;
	*ret_stack = number;
	return 0;
}

int tally_stacks_find(struct tally_stacks *stacks, const uint32_t *frames, uint32_t nr,
		      uint32_t hash, uint32_t *ret_stack)
{
	uint32_t number;

	for (size_t pos = hash; tally_slots_next(&stacks->slots, hash, &pos, &number);) {
		if (stack_equal(stacks, number, frames, nr)) {
			*ret_stack = number;
			return 0;
		}
	}
	return stack_add(stacks, frames, nr, hash, ret_stack);
}

int tally_stacks_sweep(struct tally_stacks *stacks, uint32_t *marks, const uint32_t *frames)
{
	uint32_t *words = stacks->words.data, left = 1, nr;
	int ret = 0;

	tally_slots_free(&stacks->slots);
	for (size_t at = 1; at < stacks->words.len; at += nr + 1) {
		nr = words[at];
		if (!marks[at])
			continue;
		words[left] = nr;
		for (uint32_t i = 1; i <= nr; i++)
			words[left + i] = frames[words[at + i]];
		if (!ret)
			ret = tally_slots_add(&stacks->slots,
					      tally_stacks_hash(&words[left + 1], nr), left);
		marks[at] = left;
		left += nr + 1;
	}
	stacks->words.len = stacks->words.len ? left : 0;
	return ret;
}

void tally_stacks_free_index(struct tally_stacks *stacks)
{
	tally_slots_free(&stacks->slots);
}

void tally_stacks_free(struct tally_stacks *stacks)
{
	tally_stacks_free_index(stacks);
	tally_vec_free(&stacks->words);
}
