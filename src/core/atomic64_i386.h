/* SPDX-License-Identifier: BSD-2-Clause */
/* 64-bit words accessed with cmpxchg8b, for TALLY_ATOMIC64_CMPXCHG8B. All operations are full
 * barriers. Values are passed by address so that atomic.h can pass values of any type. */
#ifndef TALLY_CORE_ATOMIC64_I386_H
#define TALLY_CORE_ATOMIC64_I386_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias, aligned(4))) tally_word;

static inline bool tally_word_compare_exchange(void *p, void *expected, const void *to)
{
	uint64_t new = *(const tally_word *)to;
	bool done;

	__asm__ volatile("lock; cmpxchg8b %1"
			 : "=@ccz"(done), "+m"(*(tally_word *)p), "+A"(*(tally_word *)expected)
			 : "b"((uint32_t) new), "c"((uint32_t)(new >> 32))
			 : "memory");
	return done;
}

/* Load a word. cmpxchg8b writes back the value that it reads, so the word must be writable. */
static inline uint64_t tally_word_load(const void *p)
{
	uint64_t value = 0;

	tally_word_compare_exchange((void *)(uintptr_t)p, &value, &value);
	return value;
}

static inline uint64_t tally_word_exchange(void *p, const void *value)
{
	uint64_t before = *(const volatile tally_word *)p;

	while (!tally_word_compare_exchange(p, &before, value))
		;
	return before;
}

static inline void tally_word_store(void *p, const void *value)
{
	tally_word_exchange(p, value);
}

static inline uint64_t tally_word_add(void *p, uint64_t by)
{
	uint64_t before = *(const volatile tally_word *)p, after;

	do {
		after = before + by;
	} while (!tally_word_compare_exchange(p, &before, &after));
	return before;
}

static inline uint64_t tally_word_or(void *p, uint64_t bits)
{
	uint64_t before = *(const volatile tally_word *)p, after;

	do {
		after = before | bits;
	} while (!tally_word_compare_exchange(p, &before, &after));
	return before;
}

#endif
