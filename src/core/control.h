/* SPDX-License-Identifier: BSD-2-Clause */
/* Enabling, disabling and all else that is done to an open event. */
#ifndef TALLY_CORE_CONTROL_H
#define TALLY_CORE_CONTROL_H

#include "core/private.h"

/* Enable one event alone. A. */
void tally_control_enable_here(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Disable one event alone; in error or at its end it stays what it is. A. */
void tally_control_disable_here(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* The REFRESH count of an event is used up: disable it, unless it was enabled anew. A. */
void tally_control_exhausted(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* All that are on this CPU and used up. With interrupts off, on it. */
void tally_control_exhausted_all(struct tally_core_cpu *cpu);

/* Have the host wake who waits for the event, or for others that share its buffer. With
 * interrupts off. */
void tally_control_wake(struct tally_core_event *event, unsigned what);

/* IOC_MODIFY_ATTRIBUTES with the attr at `user`, of the event and its children. NULL, or why not.
 * Without locks. */
const struct tally_core_refusal *tally_control_modify(struct tally_core_event *event,
						      struct tally_core_task *current, void *user);

/* Send the event's records to `target`'s buffer; NULL: nowhere. NULL, or why not. Without locks. */
const struct tally_core_refusal *tally_control_output(struct tally_core_event *event,
						      struct tally_core_event *target);

#endif
