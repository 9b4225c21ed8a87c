/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 64-bit words shared with interrupts or other CPUs on 32-bit machines. Included by atomic.h.
 * TALLY_CORE_ATOMIC64 selects the implementation for the whole build:
 *
 * - TALLY_ATOMIC64_NATIVE: The machine has atomic 64-bit instructions. Default if the compiler
 *   defines __GCC_ATOMIC_LLONG_LOCK_FREE as 2 (every 64-bit machine, ARMv7-A).
 * - TALLY_ATOMIC64_CMPXCHG8B: The cmpxchg8b instruction of i386 since the Pentium, because
 *   compilers would use the floating-point unit. Default on i386.
 * - TALLY_ATOMIC64_IRQ: Two words, accessed with interrupts off, for machines with one CPU. Default
 *   on a Cortex-M.
 * - TALLY_ATOMIC64_SEQUENCE: Two words and a sequence count, which is odd during a write, for
 *   machines with several CPUs. Writers turn off interrupts and exclude each other; readers retry.
 *
 * For the last two, TALLY_CORE_IRQ_HEADER is the name, in quotes, of a host header with
 *
 *	static inline uintptr_t tally_host_irq_save(void);
 *	static inline void tally_host_irq_restore(uintptr_t flags);
 *	static inline uint32_t *tally_host_sequence(const volatile void *word);   SEQUENCE only
 *
 * The first two functions do the same as ops->irq_save and irq_restore, and are compiler barriers.
 * If the compiler targets a Cortex-M and no header is specified, these functions use PRIMASK. The
 * third function returns a word's sequence count, selected by the word's address from a small set
 * of counts that the host owns and that are initially zero. Accesses to words that share a sequence
 * count may have to wait for each other. Overflow interrupts that irq_save does not mask (NMIs) are
 * possible only with NATIVE and CMPXCHG8B.
 *
 * 64-bit words that the rest of the core accesses directly belong to one CPU and are accessed with
 * interrupts off.
 */
#ifndef TALLY_CORE_ATOMIC64_H
#define TALLY_CORE_ATOMIC64_H

#define TALLY_ATOMIC64_NATIVE    1
#define TALLY_ATOMIC64_CMPXCHG8B 2
#define TALLY_ATOMIC64_IRQ       3
#define TALLY_ATOMIC64_SEQUENCE  4

#ifndef TALLY_CORE_ATOMIC64
#ifdef __i386__
#define TALLY_CORE_ATOMIC64 TALLY_ATOMIC64_CMPXCHG8B
#elif __GCC_ATOMIC_LLONG_LOCK_FREE == 2
#define TALLY_CORE_ATOMIC64 TALLY_ATOMIC64_NATIVE
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define TALLY_CORE_ATOMIC64 TALLY_ATOMIC64_IRQ
#else
#error "no 64-bit atomic instructions: define TALLY_CORE_ATOMIC64, see above"
#endif
#endif

#if TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_CMPXCHG8B
#include "core/atomic64_i386.h"
#elif TALLY_CORE_ATOMIC64 != TALLY_ATOMIC64_NATIVE
#include "core/atomic64_halves.h"
#endif

#endif
