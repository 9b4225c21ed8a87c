/* SPDX-License-Identifier: BSD-2-Clause */
/* Sideband records, which report the actions of tasks. These functions are called with interrupts
 * off, on the CPU where the action occurred. */
#ifndef TALLY_CORE_SIDEBAND_H
#define TALLY_CORE_SIDEBAND_H

#include "core/core_private.h"

#if TALLY_CORE_SIDEBAND

/* Write SWITCH or SWITCH_CPU_WIDE records: `task` is switched in or out; `other` is the previous or
 * next task. */
void tally_sideband_switched(struct tally_core_cpu *cpu, const struct tally_core_task *task,
			     const struct tally_core_task *other, bool in, bool preempt);

static inline void tally_sideband_switch(struct tally_core_cpu *cpu,
					 const struct tally_core_task *task,
					 const struct tally_core_task *other, bool in, bool preempt)
{
	if (cpu->own.wants[TALLY_WANTS_SWITCH] ||
	    (cpu->of_task && cpu->of_task->wants[TALLY_WANTS_SWITCH]))
		tally_sideband_switched(cpu, task, other, in, preempt);
}

/* Write FORK or EXIT records to the events of this CPU and of `context`, which may be NULL. */
void tally_sideband_task(struct tally_core_cpu *cpu, struct tally_core_context *context,
			 const struct tally_core_task *task, bool fork);

#else

static inline void tally_sideband_switch(struct tally_core_cpu *cpu,
					 const struct tally_core_task *task,
					 const struct tally_core_task *other, bool in, bool preempt)
{
}

static inline void tally_sideband_task(struct tally_core_cpu *cpu,
				       struct tally_core_context *context,
				       const struct tally_core_task *task, bool fork)
{
}

#endif

/* Write a THROTTLE or UNTHROTTLE record for one event. */
void tally_sideband_throttle(struct tally_core_event *event, bool throttled);

#endif
