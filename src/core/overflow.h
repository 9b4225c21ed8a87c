/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overflows: limits, throttling, frequency, the sample, and deferred work. Called on the event's
 * CPU with interrupts off, or in its overflow interrupt.
 */
#ifndef TALLY_CORE_OVERFLOW_H
#define TALLY_CORE_OVERFLOW_H

#include "core/frequency.h"
#include "core/core_private.h"

/* Handle the end of a period. Return false if the event must stop counting: it is throttled, or its
 * REFRESH count is used up. Without `throttle`, as for the first sample of a software event, it is
 * never throttled. `raw` is tracepoint data, or NULL. */
bool tally_overflow(struct tally_core_event *event,
		    const struct tally_core_sample_data *sample_data, const struct tally_bytes *raw,
		    bool throttle);

/* Return true if the `nr`th sample of a tick exceeds the tick's share of settings.max_sample_rate,
 * rounded up. */
bool tally_overflow_beyond_share(const struct tally_core *core, uint32_t nr);

#if TALLY_CORE_TRAPS

/* Have the pending traps of this context's task sent; the task is running here. */
void tally_overflow_send_traps(struct tally_core_context *context);

static inline void tally_overflow_send_due_traps(struct tally_core_context *context)
{
	if (tally_load_relaxed(&context->traps_due))
		tally_overflow_send_traps(context);
}

/* Cancel a pending trap, as the event leaves its context. */
void tally_overflow_drop_trap(struct tally_core_event *event);

#else

static inline void tally_overflow_send_due_traps(struct tally_core_context *context)
{
}

static inline void tally_overflow_drop_trap(struct tally_core_event *event)
{
}

#endif

/* Defer work (enum tally_pending) to tally_core_deferred(). */
void tally_overflow_defer(struct tally_core_event *event, uint32_t pending);

/*
 * Whole groups are throttled, as in Linux since 6.16: counts of members that were stopped for
 * different times could not be compared. The leader has the flag, and the records are in its
 * buffer.
 */

/* End the throttling of a group that is about to start or may continue. Writes an UNTHROTTLE
 * record. */
void tally_overflow_unthrottle(struct tally_core_event *leader);

/* Note that a throttled group is taken off its PMUs or continues: the tick need not look for it. */
void tally_overflow_uncount_throttled(struct tally_core_event *leader);

/* Start an event that is stopped on its PMU, unless its group is throttled or its REFRESH count is
 * used up. */
static inline void tally_overflow_resume(struct tally_core_event *event)
{
	const struct tally_core_event *leader = event->leader;

	if (tally_load_relaxed(&leader->throttled) || tally_load_relaxed(&event->exhausted))
		return;
	event->pmu->start(event->pmu, &event->hw);
	/* If a member's interrupt throttles the group now, it stops running members, not a starting
	 * one. */
	if (tally_load_relaxed(&leader->throttled) && event->hw.running)
		event->pmu->stop(event->pmu, &event->hw);
}

/* The same for an event that was stopped for a while. */
static inline void tally_overflow_start(struct tally_core_event *event)
{
	if (tally_event_has_frequency(event))
		tally_frequency_restart(event);
	tally_overflow_resume(event);
}

#endif
