/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's TALLY_CORE_IRQ_HEADER, for builds that split 64-bit words into two halves. In these
 * builds the overflow interrupt is masked while interrupts are off, like all other interrupts. */
#ifndef TALLY_TESTS_CORE_THREADS_IRQ_H
#define TALLY_TESTS_CORE_THREADS_IRQ_H

#include <stdint.h>

enum { HOST_SEQUENCES = 4 };

extern uint32_t host_sequences[HOST_SEQUENCES];

uintptr_t host_irq_save(void *host);
void host_irq_restore(void *host, uintptr_t flags);

static inline uintptr_t tally_host_irq_save(void)
{
	return host_irq_save(0);
}

static inline void tally_host_irq_restore(uintptr_t flags)
{
	host_irq_restore(0, flags);
}

static inline uint32_t *tally_host_sequence(const volatile void *word)
{
	return &host_sequences[(uintptr_t)word / 8 % HOST_SEQUENCES];
}

#endif
