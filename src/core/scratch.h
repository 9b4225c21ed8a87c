/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scratch memory of a CPU: for each nesting level of interrupts, an area for a record that the ring
 * has no contiguous space for, and one for parts of a record. It exists while there is a ring that
 * the CPU may write to. It is as large as the records of its events can get, and grows with later
 * ones. So events without a ring cost nothing, and all others together no more than
 * settings.record_max allows for each CPU.
 */
#ifndef TALLY_CORE_SCRATCH_H
#define TALLY_CORE_SCRATCH_H

#include "core/core_private.h"

struct tally_core_scratch {
	uint32_t each; /* bytes of an area, a multiple of 8; limit of a record */
	uint32_t unused;
	uint8_t bytes[];
};

/* Hold or release the memory of a CPU (-1: all) for a ring that it may write to. Releasing the last
 * hold frees the memory. Called without locks, where the machine may sleep. */
void tally_scratch_hold(struct tally_core *core, int32_t cpu);
void tally_scratch_release(struct tally_core *core, int32_t cpu);

/* Provide enough memory for the records that this event and its children write to a ring of `ring`
 * bytes, on each CPU that may write them. These must be held. Return 0 or -ENOMEM. Called without
 * locks, where the machine may sleep. */
int tally_scratch_prepare(struct tally_core_event *event, uint64_t ring);

#endif
