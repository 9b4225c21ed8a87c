/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/*
 * States of events and the time they spend in them. All under the context rule.
 *
 * Beside its state an event has these, each with its own writers. Which may be true in which state
 * is a table in state.c, checked by debug builds whenever the state changes:
 *
 *	on_pmu      its PMU has added it. Set before ACTIVE, by sched.c; cleared before ACTIVE is
 *	            left
 *	hw.running  its counter counts: between the driver's start() and stop(). Only while on_pmu.
 *	            Stopped in the middle of ACTIVE by the overflow interrupt: throttled, or
 *	            exhausted
 *	throttled   a leader's: its group stands still until the tick, or until it comes off. Set by
 *	            the overflow interrupt, cleared by overflow.c. Outlasts ACTIVE: the group says
 *	            that it is free again when it next goes on
 *	exhausted   its REFRESH count is used up. Set by the overflow interrupt; cleared when it is
 *	            disabled for that (sched.c: ACTIVE to INACTIVE to OFF) or enabled anew
 *	            (control.c)
 *	pending     bits of what is to be done where interrupts may be answered; from 0 on it is put
 *	            onto a CPU's stack
 *	stacked     how many stacks have it, or are serving it. From overflow.c alone; waited for by
 *	            who retires it, after which nobody can defer anything for it
 *	trap_due    its task is owed a SIGTRAP: from the overflow until the task runs, or it is
 *	            retired
 *	refs        who opened it, and who iterates. From retiring on only the latter
 */
/* clang-format on */
#ifndef TALLY_CORE_STATE_H
#define TALLY_CORE_STATE_H

#include "core/private.h"

/* The context's time when the clock is `now`. On its CPU also in the overflow interrupt, whatever
 * that interrupts. */
static inline uint64_t tally_context_time(const struct tally_core_context *context, uint64_t now)
{
	return tally_load_relaxed(&context->on_cpu) < 0 ? context->time : context->offset + now;
}

/* The context goes onto a CPU. */
static inline void tally_context_begin_time(struct tally_core_context *context, uint64_t now)
{
	context->offset = context->time - now;
}

/* Bring the context's time up to the clock. */
void tally_context_advance(struct tally_core_context *context, uint64_t now);

/* Add the time since the last call to what the event's state says it belongs to. The
 * context has been advanced. */
void tally_event_account(struct tally_core_event *event);

/* It is as an event must be that was retired: nothing leads to it any more. Debug builds trap. */
void tally_event_check_retired(const struct tally_core_event *event);

/* Account, then change state: of a leader also the siblings, whose time stands still while
 * their leader is off. The transition must be in the table. */
void tally_event_set_state(struct tally_core_event *event, enum tally_state state);

#endif
