/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CPU's scratch memory. Each interrupt nesting level has two areas: one for a record without
 * contiguous space in the ring, and one for parts of a record. The memory exists while there is a
 * ring that the CPU may write to. Each area is as large as the longest record of the CPU's events,
 * and grows when an event with longer records is added. So events without a ring need no memory,
 * and all other events together need at most what settings.record_max allows for each CPU.
 */
#ifndef TALLY_CORE_SCRATCH_H
#define TALLY_CORE_SCRATCH_H

#include "core/core_private.h"

struct tally_core_scratch {
	uint32_t each; /* size in bytes of an area and of the longest record; a multiple of 8 */
	uint32_t unused;
	uint8_t bytes[];
};

/* Hold or release a CPU's memory (all CPUs' if `cpu` is -1) for a ring that the CPU may write to.
 * Releasing the last hold frees the memory. Called without locks held, from code that may sleep. */
void tally_scratch_hold(struct tally_core *core, int32_t cpu);
void tally_scratch_release(struct tally_core *core, int32_t cpu);

/* Provide enough memory for the records that this event and its children write to a ring of `ring`
 * bytes, on each CPU that may write them. The memory of these CPUs must be held. Return 0 or
 * -ENOMEM. Called without locks held, from code that may sleep. */
int tally_scratch_prepare(struct tally_core_event *event, uint64_t ring);

#endif
