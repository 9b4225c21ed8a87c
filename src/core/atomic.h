/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomic words and the spin lock. The words have plain types so that public headers can contain
 * them. Every access that may race uses one of these macros, each named after its memory order.
 */
#ifndef TALLY_CORE_ATOMIC_H
#define TALLY_CORE_ATOMIC_H

#include "core/atomic64.h"
#include "tally/config.h"
#include "tally/host.h"

/*
 * A test host can build the core with TALLY_CORE_DEBUG_HOOK, the name of a header that declares
 * tally_core_debug_hook(). The hook is called with the word's address before each of these
 * operations, so that tests can inject an interrupt between any two operations.
 */
#ifdef TALLY_CORE_DEBUG_HOOK
#include TALLY_CORE_DEBUG_HOOK
#define TALLY_POINT(p) tally_core_debug_hook(p)
#else
#define TALLY_POINT(p) ((void)0)
#endif

/* Debug builds check invariants and trap on violations. */
#ifdef TALLY_CORE_DEBUG
#define TALLY_CORE_CHECKS 1
#else
#define TALLY_CORE_CHECKS 0
#endif

/* 64-bit words use native instructions if possible, or else the functions in atomic64.h. */
#if TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_NATIVE
#define TALLY_BY_WIDTH(p, wide, plain) (TALLY_POINT(p), (plain))
#else
#define TALLY_BY_WIDTH(p, wide, plain) \
	(TALLY_POINT(p),               \
	 _Generic((p), uint64_t * : (wide), const uint64_t * : (wide), default : (plain)))
#endif
/* Return the address of a temporary that holds `v`, with the type that `p` points to. */
#define TALLY_VALUE_FOR(p, v) (&(__typeof__(*(p))){(v)})

/* Access a value that other CPUs or interrupts may read or write at any time. The access is not
 * ordered with other accesses. */
#define tally_load_relaxed(p) \
	TALLY_BY_WIDTH(p, tally_word_load(p), __atomic_load_n((p), __ATOMIC_RELAXED))
#define tally_store_relaxed(p, v)                                       \
	TALLY_BY_WIDTH(p, tally_word_store((p), TALLY_VALUE_FOR(p, v)), \
		       __atomic_store_n((p), (v), __ATOMIC_RELAXED))

/* Writes before a store_release are visible after a load_acquire that reads the stored value. */
#define tally_load_acquire(p) \
	TALLY_BY_WIDTH(p, tally_word_load(p), __atomic_load_n((p), __ATOMIC_ACQUIRE))
#define tally_store_release(p, v)                                       \
	TALLY_BY_WIDTH(p, tally_word_store((p), TALLY_VALUE_FOR(p, v)), \
		       __atomic_store_n((p), (v), __ATOMIC_RELEASE))

/* Writes before the fence are visible before writes after it. TSan does not support fences, so in
 * tests under TSan, only one thread writes the data that is ordered here. */
#ifdef __SANITIZE_THREAD__
#define tally_write_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
#define tally_write_fence() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

/* Use only for 32-bit words, 64-bit words and pointers; smaller words would need library calls on
 * RISC-V. */
#define tally_exchange(p, v)                                               \
	TALLY_BY_WIDTH(p, tally_word_exchange((p), TALLY_VALUE_FOR(p, v)), \
		       __atomic_exchange_n((p), (v), __ATOMIC_ACQ_REL))
#define tally_fetch_add(p, v) \
	TALLY_BY_WIDTH(p, tally_word_add((p), (v)), __atomic_fetch_add((p), (v), __ATOMIC_RELAXED))
#define tally_fetch_or(p, v) \
	TALLY_BY_WIDTH(p, tally_word_or((p), (v)), __atomic_fetch_or((p), (v), __ATOMIC_ACQ_REL))

/* If *p == *expected, store `to` and return true. Otherwise set *expected = *p and return false. */
#define tally_compare_exchange(p, expected, to)                                                    \
	TALLY_BY_WIDTH(p, tally_word_compare_exchange((p), (expected), TALLY_VALUE_FOR(p, to)),    \
		       __atomic_compare_exchange_n((p), (expected), (to), false, __ATOMIC_ACQ_REL, \
						   __ATOMIC_RELAXED))

/*
 * Do the same as tally_compare_exchange() for a word that only one CPU and its interrupts write at
 * a time, so that a single instruction is sufficient. On x86, this instruction does not lock the
 * bus; locking would take a quarter of the time of a plain sample. Only the compiler is prevented
 * from reordering accesses.
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

/* Add to a word that is written by one CPU at a time. */
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

/* Add to a counter that an interrupt may add to concurrently. */
static inline void tally_count_up(uint64_t *count, uint64_t by)
{
	tally_fetch_add(count, by);
}

static inline void tally_count_up_u32(uint32_t *count)
{
	tally_fetch_add(count, 1);
}

/* Add to a counter that has one writer at a time, but concurrent readers. Does not need a locked
 * instruction. */
static inline void tally_count_alone(uint64_t *count, uint64_t by)
{
#if TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_NATIVE
	tally_store_relaxed(count, tally_load_relaxed(count) + by);
#else
	tally_fetch_add(count, by);
#endif
}

/* Acquire a spin lock. Called with interrupts off, which is sufficient on a machine with one
 * CPU. */
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
