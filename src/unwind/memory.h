/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the thread to unwind: a copy of part of its stack, and a function to read other
 * memory. */
#ifndef TALLY_UNWIND_MEMORY_H
#define TALLY_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/endian.h"

struct tally_unwind_memory {
	const uint8_t *stack; /* `len` bytes starting at address `start` */
	uint64_t start, len;
	bool swap; /* not in host byte order */
	/* Reads a word outside of `stack`, in host byte order. Returns false if the word is
	 * unknown. May be NULL. */
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
