/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomic words, and the spin lock. The objects are plain so that public headers can hold
 * them; every access that may race goes through here and names its order.
 */
#ifndef TALLY_CORE_ATOMIC_H
#define TALLY_CORE_ATOMIC_H

#include "core/atomic64.h"
#include "tally/config.h"
#include "tally/host.h"

/*
 * A host for tests can build the core with TALLY_CORE_DEBUG_HOOK, which names a header that
 * declares tally_core_debug_hook(): it is called with the word before each of these operations, so
 * that an interrupt can come in between any two.
 */
#ifdef TALLY_CORE_DEBUG_HOOK
#include TALLY_CORE_DEBUG_HOOK
#define TALLY_POINT(p) tally_core_debug_hook(p)
#else
#define TALLY_POINT(p) ((void)0)
#endif

/* Debug builds check what must hold, and trap where it does not. */
#ifdef TALLY_CORE_DEBUG
#define TALLY_CORE_CHECKS 1
#else
#define TALLY_CORE_CHECKS 0
#endif

/* A word of 64 bits is one instruction's, or atomic64.h's. */
#if TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_NATIVE
#define TALLY_BY_WIDTH(p, wide, plain) (TALLY_POINT(p), (plain))
#else
#define TALLY_BY_WIDTH(p, wide, plain) \
	(TALLY_POINT(p),               \
	 _Generic((p), uint64_t * : (wide), const uint64_t * : (wide), default : (plain)))
#endif
/* The address of `v` as what `p` points to. */
#define TALLY_VALUE_FOR(p, v) (&(__typeof__(*(p))){(v)})

/* A value that others may read or write at any time, alone: no order with anything else. */
#define tally_load_relaxed(p) \
	TALLY_BY_WIDTH(p, tally_word_load(p), __atomic_load_n((p), __ATOMIC_RELAXED))
#define tally_store_relaxed(p, v)                                       \
	TALLY_BY_WIDTH(p, tally_word_store((p), TALLY_VALUE_FOR(p, v)), \
		       __atomic_store_n((p), (v), __ATOMIC_RELAXED))

/* What was written before a store_release is seen after the load_acquire that reads it. */
#define tally_load_acquire(p) \
	TALLY_BY_WIDTH(p, tally_word_load(p), __atomic_load_n((p), __ATOMIC_ACQUIRE))
#define tally_store_release(p, v)                                       \
	TALLY_BY_WIDTH(p, tally_word_store((p), TALLY_VALUE_FOR(p, v)), \
		       __atomic_store_n((p), (v), __ATOMIC_RELEASE))

/* What is written before it is seen before what is written after it. TSan does not know fences;
 * what it should order here no other thread of a test writes. */
#ifdef __SANITIZE_THREAD__
#define tally_write_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
#define tally_write_fence() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

/* Of 32 bits or 64, or pointers: for smaller ones RISC-V would call a library. */
#define tally_exchange(p, v)                                               \
	TALLY_BY_WIDTH(p, tally_word_exchange((p), TALLY_VALUE_FOR(p, v)), \
		       __atomic_exchange_n((p), (v), __ATOMIC_ACQ_REL))
#define tally_fetch_add(p, v) \
	TALLY_BY_WIDTH(p, tally_word_add((p), (v)), __atomic_fetch_add((p), (v), __ATOMIC_RELAXED))
#define tally_fetch_or(p, v) \
	TALLY_BY_WIDTH(p, tally_word_or((p), (v)), __atomic_fetch_or((p), (v), __ATOMIC_ACQ_REL))

/* Store `to` if *p is *expected; else *expected = *p and false. */
#define tally_compare_exchange(p, expected, to)                                                    \
	TALLY_BY_WIDTH(p, tally_word_compare_exchange((p), (expected), TALLY_VALUE_FOR(p, to)),    \
		       __atomic_compare_exchange_n((p), (expected), (to), false, __ATOMIC_ACQ_REL, \
						   __ATOMIC_RELAXED))

/*
 * The same for a word that one CPU writes at a time, its interrupts included: one instruction is
 * enough there, and x86 has one that does not lock the bus, a quarter of what a plain sample costs.
 * No order but that of the compiler.
 */
static inline bool tally_local_compare_exchange(uint64_t *p, uint64_t *expected, uint64_t to)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && \
	TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_NATIVE
	bool done;

	TALLY_POINT(p);
	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(done), "+m"(*p), "+a"(*expected)
			 : "r"(to)
			 : "memory");
#else
	bool done = tally_compare_exchange(p, expected, to);

#endif
	TALLY_POINT(p);
	return done;
}

/* Add to such a word. */
static inline void tally_local_add(uint64_t *p, uint64_t by)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && \
	TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_NATIVE
	TALLY_POINT(p);
	__asm__ volatile("addq %1, %0" : "+m"(*p) : "r"(by) : "cc", "memory");
#else
	tally_fetch_add(p, by);
#endif
}

/* A counter that an interrupt may count up in the middle of this. */
static inline void tally_count_up(uint64_t *count, uint64_t by)
{
	tally_fetch_add(count, by);
}

static inline void tally_count_up_u32(uint32_t *count)
{
	tally_fetch_add(count, 1);
}

/* A counter with one writer at a time, which others may read: no instruction that locks. */
static inline void tally_count_alone(uint64_t *count, uint64_t by)
{
#if TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_NATIVE
	tally_store_relaxed(count, tally_load_relaxed(count) + by);
#else
	tally_fetch_add(count, by);
#endif
}

/* With interrupts off: on a machine of one CPU there is nobody else then. */
static inline void tally_spin_lock(struct tally_spin *spin, const struct tally_host_ops *ops,
				   void *host)
{
	if (!TALLY_CORE_SEVERAL_CPUS)
		return;
	while (__atomic_exchange_n(&spin->held, 1, __ATOMIC_ACQUIRE)) {
		while (tally_load_relaxed(&spin->held)) {
			if (ops->relax)
				ops->relax(host);
		}
	}
}

static inline void tally_spin_unlock(struct tally_spin *spin)
{
	if (!TALLY_CORE_SEVERAL_CPUS)
		return;
	if (TALLY_CORE_CHECKS && !__atomic_load_n(&spin->held, __ATOMIC_RELAXED))
		__builtin_trap();
	tally_store_release(&spin->held, 0);
}

#endif
