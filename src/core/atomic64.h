/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 64-bit words that interrupts or other CPUs share, on machines of 32 bits. atomic.h leads here.
 * TALLY_CORE_ATOMIC64 says how, for the whole build:
 *
 * TALLY_ATOMIC64_NATIVE    The machine has instructions for it: the default where the compiler
 *                          says so (every 64-bit machine, ARMv7-A).
 * TALLY_ATOMIC64_CMPXCHG8B i386 from the Pentium on, where compilers would use the floating point
 *                          unit. The default there.
 * TALLY_ATOMIC64_IRQ       Two words, touched with interrupts off: machines with one CPU. The
 *                          default on a Cortex-M.
 * TALLY_ATOMIC64_SEQUENCE  Two words and a sequence, which is odd while they are written: machines
 *                          with several CPUs. Writers have interrupts off and exclude one
 *                          another; readers read again.
 *
 * For the latter two, TALLY_CORE_IRQ_HEADER names a header of the host (in quotes) with
 *
 *	static inline uintptr_t tally_host_irq_save(void);
 *	static inline void tally_host_irq_restore(uintptr_t flags);
 *	static inline uint32_t *tally_host_sequence(const volatile void *word);   SEQUENCE alone
 *
 * The first two are what ops->irq_save and irq_restore do, and compiler barriers; where the
 * compiler is for a Cortex-M and no header is named, they are PRIMASK. The third gives the sequence
 * of a word: one of a few of the host's, zero at first, by the word's address; sharing one costs
 * a wait now and then. An overflow interrupt that irq_save does not mask (an NMI) is possible with
 * the former two alone.
 *
 * Words that the rest of the core touches plainly are its CPU's own, with interrupts off.
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
#error "no 64-bit atomic instructions: TALLY_CORE_ATOMIC64 has to be chosen, see above"
#endif
#endif

#if TALLY_CORE_ATOMIC64 == TALLY_ATOMIC64_CMPXCHG8B
#include "core/atomic64_i386.h"
#elif TALLY_CORE_ATOMIC64 != TALLY_ATOMIC64_NATIVE
#include "core/atomic64_halves.h"
#endif

#endif
