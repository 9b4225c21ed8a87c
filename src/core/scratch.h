/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scratch memory of a CPU: for each nesting of interrupts an area for a record whose room is in two
 * pieces, and one for parts of it. It is there from the first ring that the CPU may write, as large
 * as its events' records can get, and grows with later ones.
 */
#ifndef TALLY_CORE_SCRATCH_H
#define TALLY_CORE_SCRATCH_H

#include "core/private.h"

struct tally_core_scratch {
	uint32_t each; /* bytes of an area, a multiple of 8; no record gets longer */
	uint32_t unused;
	uint8_t bytes[];
};

/* Have enough for the records of this event and of those that inherit it, on each CPU that may
 * write them. -ENOMEM. Without locks, where the machine may sleep. */
int tally_scratch_prepare(struct tally_core_event *event);

/* The CPU's goes with it. */
void tally_scratch_free(struct tally_core_cpu *cpu);

#endif
