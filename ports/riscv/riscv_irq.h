/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the core needs on 32-bit machines to access 64-bit words. See core/atomic64.h. */
#ifndef RISCV_IRQ_H
#define RISCV_IRQ_H

#include <stdint.h>

enum { HOST_SEQUENCES = 16, HOST_STATUS_SIE = 1 << 1 };

extern uint32_t host_sequences[HOST_SEQUENCES];

static inline uintptr_t tally_host_irq_save(void)
{
	uintptr_t before;

	__asm__ volatile("csrrci %0, sstatus, 2" : "=r"(before) : : "memory");
	return before & HOST_STATUS_SIE;
}

static inline void tally_host_irq_restore(uintptr_t flags)
{
	__asm__ volatile("csrs sstatus, %0" : : "r"(flags) : "memory");
}

static inline uint32_t *tally_host_sequence(const volatile void *word)
{
	return &host_sequences[(uintptr_t)word / 8 % HOST_SEQUENCES];
}

#endif
