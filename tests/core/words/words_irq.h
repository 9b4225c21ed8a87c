/* SPDX-License-Identifier: BSD-2-Clause */
/* The test's TALLY_CORE_IRQ_HEADER: each thread is a CPU, and signals are its interrupts. */
#ifndef TALLY_TESTS_CORE_WORDS_IRQ_H
#define TALLY_TESTS_CORE_WORDS_IRQ_H

#include <signal.h>
#include <stdint.h>

enum { WORDS_SEQUENCES = 4 };

extern uint32_t words_sequences[WORDS_SEQUENCES];
extern _Thread_local volatile sig_atomic_t words_masked;

static inline uintptr_t tally_host_irq_save(void)
{
	uintptr_t before = (uintptr_t)words_masked;

	words_masked = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return before;
}

static inline void tally_host_irq_restore(uintptr_t flags)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	words_masked = (sig_atomic_t)flags;
}

static inline uint32_t *tally_host_sequence(const volatile void *word)
{
	return &words_sequences[(uintptr_t)word / 8 % WORDS_SEQUENCES];
}

#endif
