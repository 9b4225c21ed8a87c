/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which groups are on the PMUs of a CPU: pinned ones first, those of the CPU before those of
 * the running task, then flexible ones in turn. All functions run on that CPU with
 * interrupts off; `now` is its clock.
 */
#ifndef TALLY_CORE_SCHED_H
#define TALLY_CORE_SCHED_H

#include "core/private.h"

/* Put every group that finds room on. */
void tally_sched_in(struct tally_core_cpu *cpu, uint64_t now);

/* Take every group of a context off. */
void tally_sched_out(struct tally_core_cpu *cpu, struct tally_core_context *context, uint64_t now);

/* The next in turn: called on the tick when groups wait. */
void tally_sched_rotate(struct tally_core_cpu *cpu, uint64_t now);

/* A context comes onto the CPU or leaves it: takes and drops its lock. */
void tally_sched_context_in(struct tally_core_cpu *cpu, struct tally_core_context *context,
			    uint64_t now);
void tally_sched_context_out(struct tally_core_cpu *cpu, struct tally_core_context *context,
			     uint64_t now);

/* What tally_sched_out() took off goes on again, with what was enabled meanwhile. */
void tally_sched_back_in(struct tally_core_cpu *cpu, struct tally_core_context *context,
			 uint64_t now);

/* `event` became INACTIVE by being enabled, or new: find room for it, or let it wait. */
void tally_sched_enable(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now);

/* Take one event off its PMU, with its whole group if it leads one. */
void tally_sched_disable(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now);

/* Room was made: let groups that wait have it. */
void tally_sched_fill(struct tally_core_cpu *cpu, uint64_t now);

#endif
