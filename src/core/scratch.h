/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scratch memory of a CPU: for each nesting of interrupts an area for a record whose room is in two
 * pieces, and one for parts of it. It is there while there is a ring that the CPU may write, as
 * large as its events' records can get, and grows with later ones. So who maps no ring costs
 * nothing, and all of them together no more than settings.record_max says for each CPU.
 */
#ifndef TALLY_CORE_SCRATCH_H
#define TALLY_CORE_SCRATCH_H

#include "core/private.h"

struct tally_core_scratch {
	uint32_t each; /* bytes of an area, a multiple of 8; no record gets longer */
	uint32_t unused;
	uint8_t bytes[];
};

/* A ring that this CPU (-1: any) may write holds what there is; once the last one is released, it
 * is freed. Without locks, where the machine may sleep. */
void tally_scratch_hold(struct tally_core *core, int32_t cpu);
void tally_scratch_release(struct tally_core *core, int32_t cpu);

/* Have enough for the records that this event and those that inherit it write into a ring of `ring`
 * bytes, on each CPU that may write them and that is held. -ENOMEM. Without locks, where the
 * machine may sleep. */
int tally_scratch_prepare(struct tally_core_event *event, uint64_t ring);

#endif
