/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A period is over: limits, throttling, frequency, the sample, and what has to be put off.
 * On the event's CPU with interrupts off, or in its overflow interrupt.
 */
#ifndef TALLY_CORE_OVERFLOW_H
#define TALLY_CORE_OVERFLOW_H

#include "core/private.h"

/* Returns false when the event must not count on: throttled, or its REFRESH count used up. Events
 * that happen rather than being counted (`throttle` false) are never throttled. */
bool tally_overflow(struct tally_core_event *event,
		    const struct tally_core_sample_data *sample_data, const struct tally_bytes *raw,
		    bool throttle);

/* Have `pending` done (enum tally_pending) where it may be. */
void tally_overflow_defer(struct tally_core_event *event, uint32_t pending);

/* The event is about to start: a throttled one is free again, and says so; what is known of
 * its rate is from here on. */
void tally_overflow_restart(struct tally_core_event *event);

static inline void tally_overflow_start(struct tally_core_event *event)
{
	if (event->attr.freq || event->throttled)
		tally_overflow_restart(event);
}

/* The event comes off its PMU: the tick need not look for it. */
void tally_overflow_forget(struct tally_core_event *event);

/* Frequency mode: `count` events took `ns`; set the period that fits. */
void tally_overflow_adjust(struct tally_core_event *event, uint64_t count, uint64_t ns);

#endif
