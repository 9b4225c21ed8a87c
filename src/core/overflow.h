/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A period is over: limits, throttling, frequency, the sample, and what has to be put off.
 * On the event's CPU with interrupts off, or in its overflow interrupt.
 */
#ifndef TALLY_CORE_OVERFLOW_H
#define TALLY_CORE_OVERFLOW_H

#include "core/frequency.h"
#include "core/private.h"

/* Returns false when the event must not count on: throttled, or its REFRESH count used up. Events
 * that happen rather than being counted (`throttle` false) are never throttled. */
bool tally_overflow(struct tally_core_event *event,
		    const struct tally_core_sample_data *sample_data, const struct tally_bytes *raw,
		    bool throttle);

/* Whether a tick's `nr`th sample is beyond its share of settings.max_sample_rate, rounded up. */
bool tally_overflow_beyond_share(const struct tally_core *core, uint32_t nr);

#if TALLY_CORE_TRAPS

/* The task of this context runs here: have the traps sent that it is owed. */
void tally_overflow_send_traps(struct tally_core_context *context);

static inline void tally_overflow_settle(struct tally_core_context *context)
{
	if (tally_load_relaxed(&context->traps_due))
		tally_overflow_send_traps(context);
}

/* The event leaves its context: nobody is owed a trap any more. */
void tally_overflow_drop_trap(struct tally_core_event *event);

#else

static inline void tally_overflow_settle(struct tally_core_context *context)
{
}

static inline void tally_overflow_drop_trap(struct tally_core_event *event)
{
}

#endif

/* Have `pending` done (enum tally_pending) where it may be. */
void tally_overflow_defer(struct tally_core_event *event, uint32_t pending);

/*
 * Throttling is of whole groups, as in Linux since 6.16: counts of members that stood still for
 * different times could not be compared. The leader has the flag, and says so in its buffer.
 */

/* The group is about to start, or may go on: it is free again, and says so. */
void tally_overflow_unthrottle(struct tally_core_event *leader);

/* A throttled group comes off its PMUs, or goes on: the tick need not look for it. */
void tally_overflow_forget(struct tally_core_event *leader);

/* Have an event count that is on its PMU and stands still; not while its group is throttled or its
 * REFRESH count used up. */
static inline void tally_overflow_resume(struct tally_core_event *event)
{
	const struct tally_core_event *leader = event->leader;

	if (tally_load_relaxed(&leader->throttled) || tally_load_relaxed(&event->exhausted))
		return;
	event->pmu->start(event->pmu, &event->hw);
	/* An interrupt of a member that runs already stops those that do, not what starts. */
	if (tally_load_relaxed(&leader->throttled) && event->hw.running)
		event->pmu->stop(event->pmu, &event->hw);
}

/* The same for one that did not count for a while. */
static inline void tally_overflow_start(struct tally_core_event *event)
{
	if (tally_event_has_frequency(event))
		tally_frequency_restart(event);
	tally_overflow_resume(event);
}

#endif
