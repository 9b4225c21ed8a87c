/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * Event states and the time spent in each. Callers of all functions must follow the context rule
 * (core_private.h).
 *
 * In addition to its state, an event has the properties below. A table in state.c lists the
 * properties permitted in each state; debug builds check the event against the table when its state
 * changes:
 *
 * - on_pmu: The event's PMU has added it. Set by sched.c before the state becomes ACTIVE; cleared
 *   before the event leaves ACTIVE.
 * - hw.running: The event's counter is counting: between the driver's start() and stop(), and only
 *   while on_pmu is set. In the ACTIVE state, the overflow interrupt can stop the counter because
 *   the event is throttled or exhausted.
 * - throttled: Leaders only. The group is stopped until the tick, or until it is taken off. Set by
 *   the overflow interrupt, cleared by overflow.c. It may remain set after the event leaves ACTIVE:
 *   the group writes its UNTHROTTLE record when it is put on again.
 * - exhausted: The REFRESH count is used up. Set by the overflow interrupt; cleared when the event
 *   is disabled as a result (sched.c: ACTIVE to INACTIVE to OFF) or enabled again (control.c).
 * - pending: Bits for work that is deferred until interrupts can be handled. When the first bit is
 *   set, the event is pushed onto a CPU's stack.
 * - stacked: Number of CPUs that hold the event on their stack or are processing it. Changed only
 *   by overflow.c. Retiring the event waits until this number is 0; after that no more work can be
 *   deferred for the event.
 * - trap_due: A SIGTRAP to the event's task is pending, from the overflow until the task runs or
 *   the event is retired.
 * - refs: References held by the opener and by iterators. Once the event is retired, only iterators
 *   hold references.
 */
/* clang-format on */
#ifndef TALLY_CORE_STATE_H
#define TALLY_CORE_STATE_H

#include "core/core_private.h"

/* Return the context's time at clock `now`. On the context's CPU, the result is valid even in an
 * overflow interrupt, whatever code it interrupts. */
static inline uint64_t tally_context_time(const struct tally_core_context *context, uint64_t now)
{
	return tally_load_relaxed(&context->on_cpu) < 0 ? context->time : context->offset + now;
}

/* Start the context's time. Called when the context is put on a CPU. */
static inline void tally_context_begin_time(struct tally_core_context *context, uint64_t now)
{
	context->offset = context->time - now;
}

/* Advance the context's time to clock `now`. */
void tally_context_advance(struct tally_core_context *context, uint64_t now);

/* Account for the time since the last call, by adding it to the event's times according to the
 * event's state. The context's time must be up to date. */
void tally_event_account(struct tally_core_event *event);

/* Check that a retired event is in no list and has no deferred work. Debug builds trap. */
void tally_event_check_retired(const struct tally_core_event *event);

/* Account for the time, then change the state. For a leader, also account for the siblings, as
 * their time stops while the leader is off. The table must permit the transition. */
void tally_event_set_state(struct tally_core_event *event, enum tally_state state);

#endif
