/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * States of events and the time they spend in them. Everything is under the context rule.
 *
 * In addition to its state, an event has these properties, each with its own writers. A table in
 * state.c lists the ones permitted in each state; debug builds check it at each change of state:
 *
 * - on_pmu: The event's PMU has added it. Set before the state becomes ACTIVE, by sched.c; cleared
 *   before ACTIVE is left.
 * - hw.running: The event's counter counts: between the driver's start() and stop(). Only while
 *   on_pmu. The overflow interrupt can stop it during ACTIVE: throttled, or exhausted.
 * - throttled: Leaders only. The group is stopped until the tick, or until it is taken off. Set by
 *   the overflow interrupt, cleared by overflow.c. Outlasts ACTIVE: the group writes its UNTHROTTLE
 *   record when it is put on next.
 * - exhausted: The REFRESH count is used up. Set by the overflow interrupt; cleared when the event
 *   is disabled because of it (sched.c: ACTIVE to INACTIVE to OFF) or enabled again (control.c).
 * - pending: Bits of work that is deferred until interrupts can be handled. When they become
 *   non-zero, the event is pushed onto a CPU's stack.
 * - stacked: Number of stacks that hold the event or are processing it. Changed only by overflow.c.
 *   Retiring the event waits for it; after that nothing can be deferred for the event.
 * - trap_due: A SIGTRAP to the event's task is pending: from the overflow until the task runs, or
 *   the event is retired.
 * - refs: References of the opener and of iterators. After retiring, only the latter remain.
 */
/* clang-format on */
#ifndef TALLY_CORE_STATE_H
#define TALLY_CORE_STATE_H

#include "core/core_private.h"

/* Return the context's time at clock `now`. On the context's CPU also valid in the overflow
 * interrupt, whatever that interrupts. */
static inline uint64_t tally_context_time(const struct tally_core_context *context, uint64_t now)
{
	return tally_load_relaxed(&context->on_cpu) < 0 ? context->time : context->offset + now;
}

/* Start the context's time when it is put on a CPU. */
static inline void tally_context_begin_time(struct tally_core_context *context, uint64_t now)
{
	context->offset = context->time - now;
}

/* Advance the context's time to the clock. */
void tally_context_advance(struct tally_core_context *context, uint64_t now);

/* Add the time since the last call to the times that the event's state selects. The context's time
 * must be up to date. */
void tally_event_account(struct tally_core_event *event);

/* Check that a retired event is in no list and has no deferred work. Debug builds trap. */
void tally_event_check_retired(const struct tally_core_event *event);

/* Account for the time, then change the state. For a leader, also account for its siblings: their
 * time stops while the leader is off. The transition must be in the table. */
void tally_event_set_state(struct tally_core_event *event, enum tally_state state);

#endif
