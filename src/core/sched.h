/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schedule groups on a CPU's PMUs: first pinned groups (the CPU's before the running task's), then
 * flexible groups, which take turns. All functions are called on that CPU with interrupts off;
 * `now` is the CPU's current clock value.
 */
#ifndef TALLY_CORE_SCHED_H
#define TALLY_CORE_SCHED_H

#include "core/core_private.h"

/* Put as many groups as fit on the PMUs. */
void tally_sched_in(struct tally_core_cpu *cpu, uint64_t now);

/* Take all groups of a context off the CPU. */
void tally_sched_out(struct tally_core_cpu *cpu, struct tally_core_context *context, uint64_t now);

/* End the turns that are over, and put waiting groups on the PMUs. Called at each tick. */
void tally_sched_rotate(struct tally_core_cpu *cpu, uint64_t now);

/* Put a context on the CPU or take it off. The context's lock is taken and released. */
void tally_sched_context_in(struct tally_core_cpu *cpu, struct tally_core_context *context,
			    uint64_t now);
void tally_sched_context_out(struct tally_core_cpu *cpu, struct tally_core_context *context,
			     uint64_t now);

/* Put back the groups that tally_sched_out() took off, and add groups that were enabled in the
 * meantime. */
void tally_sched_back_in(struct tally_core_cpu *cpu, struct tally_core_context *context,
			 uint64_t now);

/* Put an event on its PMU after it has become INACTIVE because it was enabled or is new. If the
 * event does not fit, it waits. */
void tally_sched_enable(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now);

/* Take an event off its PMU, with its whole group if it leads one. */
void tally_sched_disable(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now);

/* Put waiting groups on the PMUs after counters have been freed. */
void tally_sched_fill(struct tally_core_cpu *cpu, uint64_t now);

#endif
