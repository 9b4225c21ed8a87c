/* SPDX-License-Identifier: BSD-2-Clause */
/* 64-bit words accessed as two halves, for TALLY_ATOMIC64_IRQ and TALLY_ATOMIC64_SEQUENCE. */
#ifndef TALLY_CORE_ATOMIC64_HALVES_H
#define TALLY_CORE_ATOMIC64_HALVES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef TALLY_CORE_IRQ_HEADER
#include TALLY_CORE_IRQ_HEADER
#else
static inline uintptr_t tally_host_irq_save(void)
{
	uintptr_t before;

	__asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
	return before;
}

static inline void tally_host_irq_restore(uintptr_t flags)
{
	__asm__ volatile("msr primask, %0" : : "r"(flags) : "memory");
}
#endif

typedef uint32_t __attribute__((may_alias)) tally_half;

/* The halves are accessed in address order. Acquire and release semantics keep these accesses
 * between the accesses to the sequence count. */
static inline uint64_t tally_halves_get(const void *p)
{
	const tally_half *half = p;
	union {
		uint32_t halves[2];
		uint64_t whole;
	} value;

	value.halves[0] = __atomic_load_n(&half[0], __ATOMIC_ACQUIRE);
	value.halves[1] = __atomic_load_n(&half[1], __ATOMIC_ACQUIRE);
	return value.whole;
}

static inline void tally_halves_put(void *p, uint64_t whole)
{
	tally_half *half = p;
	union {
		uint64_t whole;
		uint32_t halves[2];
	} value = {whole};

	__atomic_store_n(&half[0], value.halves[0], __ATOMIC_RELEASE);
	__atomic_store_n(&half[1], value.halves[1], __ATOMIC_RELEASE);
}

/* Between tally_word_begin() and tally_word_end(), there are no other writers, and readers detect
 * the write in progress. */
#if TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_SEQUENCE
static inline uintptr_t tally_word_begin(const void *p)
{
	uintptr_t flags = tally_host_irq_save();
	uint32_t *sequence = tally_host_sequence(p);
	uint32_t even = __atomic_load_n(sequence, __ATOMIC_RELAXED) & ~1U;

	while (!__atomic_compare_exchange_n(sequence, &even, even + 1, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED))
		even &= ~1U;
	return flags;
}

static inline void tally_word_end(const void *p, uintptr_t flags)
{
	__atomic_fetch_add(tally_host_sequence(p), 1, __ATOMIC_RELEASE);
	tally_host_irq_restore(flags);
}

static inline uint64_t tally_word_load(const void *p)
{
	const uint32_t *sequence = tally_host_sequence(p);
	uint32_t before, after;
	uint64_t value;

	do {
		before = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);
		value = tally_halves_get(p);
		after = __atomic_load_n(sequence, __ATOMIC_RELAXED);
	} while ((before & 1) || before != after);
	return value;
}
#else
static inline uintptr_t tally_word_begin(const void *p)
{
	(void)p;
	return tally_host_irq_save();
}

static inline void tally_word_end(const void *p, uintptr_t flags)
{
	(void)p;
	tally_host_irq_restore(flags);
}

static inline uint64_t tally_word_load(const void *p)
{
	uintptr_t flags = tally_host_irq_save();
	uint64_t value = tally_halves_get(p);

	tally_host_irq_restore(flags);
	return value;
}
#endif

/* The value is passed by address so that atomic.h can pass values of any type. */
static inline void tally_word_store(void *p, const void *value)
{
	uintptr_t flags = tally_word_begin(p);

	tally_halves_put(p, tally_halves_get(value));
	tally_word_end(p, flags);
}

static inline uint64_t tally_word_exchange(void *p, const void *value)
{
	uintptr_t flags = tally_word_begin(p);
	uint64_t before = tally_halves_get(p);

	tally_halves_put(p, tally_halves_get(value));
	tally_word_end(p, flags);
	return before;
}

static inline uint64_t tally_word_add(void *p, uint64_t by)
{
	uintptr_t flags = tally_word_begin(p);
	uint64_t before = tally_halves_get(p);

	tally_halves_put(p, before + by);
	tally_word_end(p, flags);
	return before;
}

static inline uint64_t tally_word_or(void *p, uint64_t bits)
{
	uintptr_t flags = tally_word_begin(p);
	uint64_t before = tally_halves_get(p);

	tally_halves_put(p, before | bits);
	tally_word_end(p, flags);
	return before;
}

static inline bool tally_word_compare_exchange(void *p, void *expected, const void *to)
{
	uintptr_t flags = tally_word_begin(p);
	uint64_t before = tally_halves_get(p);
	bool same = before == tally_halves_get(expected);

	if (same)
		tally_halves_put(p, tally_halves_get(to));
	tally_word_end(p, flags);
	if (!same)
		tally_halves_put(expected, before);
	return same;
}

#endif
