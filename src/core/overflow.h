/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Overflow handling: limits, throttling, frequency, samples and deferred work. Called on the
 * event's CPU with interrupts off, or in the event's overflow interrupt.
 */
#ifndef TALLY_CORE_OVERFLOW_H
#define TALLY_CORE_OVERFLOW_H

#include "core/frequency.h"
#include "core/core_private.h"

/* Handle the end of a period. Return false if the event must stop counting because it is throttled
 * or its REFRESH count is used up. If `throttle` is false, as for the first sample of a software
 * event, the event is not throttled. `raw` is tracepoint data, or NULL. */
bool tally_overflow(struct tally_core_event *event,
		    const struct tally_core_sample_data *sample_data, const struct tally_bytes *raw,
		    bool throttle);

/* Return true if the `nr`th sample of a tick exceeds the tick's share of settings.max_sample_rate,
 * rounded up. */
bool tally_overflow_beyond_share(const struct tally_core *core, uint32_t nr);

#if TALLY_CORE_TRAPS

/* Defer work that sends the pending traps to this context's task, which is running on this CPU. */
void tally_overflow_send_traps(struct tally_core_context *context);

static inline void tally_overflow_send_due_traps(struct tally_core_context *context)
{
	if (tally_load_relaxed(&context->traps_due))
		tally_overflow_send_traps(context);
}

/* Cancel the pending trap of an event that is leaving its context. */
void tally_overflow_drop_trap(struct tally_core_event *event);

#else

static inline void tally_overflow_send_due_traps(struct tally_core_context *context)
{
}

static inline void tally_overflow_drop_trap(struct tally_core_event *event)
{
}

#endif

/* Defer work (enum tally_pending) until the host calls tally_core_deferred(). */
void tally_overflow_defer(struct tally_core_event *event, uint32_t pending);

/*
 * Whole groups are throttled, as in Linux since 6.16: if members were stopped for different lengths
 * of time, their counts could not be compared. The leader holds the flag, and the records are
 * written to the leader's buffer.
 */

/* Unthrottle a group that is about to start or may continue. Writes an UNTHROTTLE record. */
void tally_overflow_unthrottle(struct tally_core_event *leader);

/* Record that a throttled group has been taken off its PMUs or has resumed, so the tick does not
 * need to look for it. */
void tally_overflow_uncount_throttled(struct tally_core_event *leader);

/* Start an event that is stopped on its PMU, unless its group is throttled or its REFRESH count is
 * used up. */
static inline void tally_overflow_resume(struct tally_core_event *event)
{
	const struct tally_core_event *leader = event->leader;

	if (tally_load_relaxed(&leader->throttled) || tally_load_relaxed(&event->exhausted))
		return;
	event->pmu->start(event->pmu, &event->hw);
	/* If a member's interrupt throttled the group during start(), it stopped only the members
	 * that were running, not this one. */
	if (tally_load_relaxed(&leader->throttled) && event->hw.running)
		event->pmu->stop(event->pmu, &event->hw);
}

/* Start an event that was stopped for a while. Do the same as tally_overflow_resume(), and restart
 * measuring the event's frequency. */
static inline void tally_overflow_start(struct tally_core_event *event)
{
	if (tally_event_has_frequency(event))
		tally_frequency_restart(event);
	tally_overflow_resume(event);
}

#endif
