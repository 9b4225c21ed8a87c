/* SPDX-License-Identifier: BSD-2-Clause */
/* Operations on open events: enabling, disabling and other ioctls. */
#ifndef TALLY_CORE_CONTROL_H
#define TALLY_CORE_CONTROL_H

#include "core/core_private.h"

/* Enable a single event, not its children. Called under the context rule. */
void tally_control_enable_here(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Disable a single event, not its children. An event that is in error or has ended keeps its state.
 * Called under the context rule. */
void tally_control_disable_here(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Disable an event that has used up its REFRESH count, unless it was enabled again. Called on `cpu`
 * with interrupts off; does nothing if the event is not on this CPU. */
void tally_control_exhausted(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Disable all events on this CPU that have used up their REFRESH count. Called on this CPU with
 * interrupts off. */
void tally_control_exhausted_all(struct tally_core_cpu *cpu);

/* Have the host wake pollers of the event or, unless `what` is POLLHUP, of all events that share
 * its buffer. Called with interrupts off. */
void tally_control_wake(struct tally_core_event *event, unsigned what);

/* Apply IOC_MODIFY_ATTRIBUTES, with the attr at `user`, to the event and its children. Return NULL
 * or the reason for failure. Called without locks. */
const struct tally_core_refusal *tally_control_modify(struct tally_core_event *event,
						      struct tally_core_task *current, void *user);

/* Redirect the event's records to `target`'s buffer; NULL: nowhere. Return NULL or the reason for
 * failure. Called without locks. */
const struct tally_core_refusal *tally_control_output(struct tally_core_event *event,
						      struct tally_core_event *target);

#endif
