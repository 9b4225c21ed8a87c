/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of the thread that is unwound: a piece of its stack that is at hand, and whoever
 * knows the rest. */
#ifndef TALLY_UNWIND_MEMORY_H
#define TALLY_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/endian.h"

struct tally_unwind_memory {
	const uint8_t *stack; /* `len` bytes from the address `start` up */
	uint64_t start, len;
	bool swap; /* of the other byte order */
	/* A word that is elsewhere, in the host's order; false for one that is not known. May be
	 * NULL. */
	bool (*word)(void *arg, uint64_t addr, uint64_t *ret_word);
	void *arg;
};

static inline bool tally_unwind_memory_word(const struct tally_unwind_memory *memory, uint64_t addr,
					    uint64_t *ret_word)
{
	uint64_t at = addr - memory->start;

	if (memory->len >= 8 && at <= memory->len - 8) {
		*ret_word = tally_load_u64(memory->stack + at, memory->swap);
		return true;
	}
	return memory->word && memory->word(memory->arg, addr, ret_word);
}

#endif
