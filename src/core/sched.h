/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling of groups on the PMUs of a CPU: first pinned groups, the CPU's before those of the
 * running task, then flexible groups in turn. All functions run on that CPU with interrupts off;
 * `now` is its clock.
 */
#ifndef TALLY_CORE_SCHED_H
#define TALLY_CORE_SCHED_H

#include "core/core_private.h"

/* Put on every group that fits. */
void tally_sched_in(struct tally_core_cpu *cpu, uint64_t now);

/* Take off every group of a context. */
void tally_sched_out(struct tally_core_cpu *cpu, struct tally_core_context *context, uint64_t now);

/* Rotate the groups at the end of their turns. Called at each tick. */
void tally_sched_rotate(struct tally_core_cpu *cpu, uint64_t now);

/* Put a context on the CPU or take it off. Takes and releases its lock. */
void tally_sched_context_in(struct tally_core_cpu *cpu, struct tally_core_context *context,
			    uint64_t now);
void tally_sched_context_out(struct tally_core_cpu *cpu, struct tally_core_context *context,
			     uint64_t now);

/* Put on again the groups that tally_sched_out() took off, and those enabled meanwhile. */
void tally_sched_back_in(struct tally_core_cpu *cpu, struct tally_core_context *context,
			 uint64_t now);

/* Put on an event that has become INACTIVE (it was enabled, or is new) if it fits; otherwise it
 * waits. */
void tally_sched_enable(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now);

/* Take an event off its PMU, with its whole group if it leads one. */
void tally_sched_disable(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now);

/* Put on waiting groups after counters have become free. */
void tally_sched_fill(struct tally_core_cpu *cpu, uint64_t now);

#endif
