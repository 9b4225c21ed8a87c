/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations on open events: enabling, disabling and other ioctls. */
#ifndef TALLY_CORE_CONTROL_H
#define TALLY_CORE_CONTROL_H

#include "core/core_private.h"

/* Enable a single event, but not its children. The caller must follow the context rule. */
void tally_control_enable_here(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Disable a single event, but not its children. An event keeps its state if it is in error or its
 * task has exited. The caller must follow the context rule. */
void tally_control_disable_here(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Disable an event that has used up its REFRESH count, unless it was enabled again. Called on `cpu`
 * with interrupts off. Does nothing if the event is not on this CPU. */
void tally_control_exhausted(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Disable all events on the current CPU that have used up their REFRESH count. Called with
 * interrupts off. */
void tally_control_exhausted_all(struct tally_core_cpu *cpu);

/* Make the host wake the event's pollers. Unless `what` is POLLHUP, wake the pollers of all events
 * that share the event's buffer. Called with interrupts off. */
void tally_control_wake(struct tally_core_event *event, unsigned what);

/* Apply IOC_MODIFY_ATTRIBUTES to the event and its children, with the attr at user address `user`.
 * Return NULL or the reason for failure. Called without locks. */
const struct tally_core_refusal *tally_control_modify(struct tally_core_event *event,
						      struct tally_core_task *current, void *user);

/* Redirect the event's records to `target`'s buffer, or to no buffer if `target` is NULL. Return
 * NULL or the reason for failure. Called without locks. */
const struct tally_core_refusal *tally_control_output(struct tally_core_event *event,
						      struct tally_core_event *target);

#endif
