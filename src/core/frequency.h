/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Periods that follow a rate of samples: attr.freq. On the event's CPU with interrupts off, or in
 * its overflow interrupt.
 */
#ifndef TALLY_CORE_FREQUENCY_H
#define TALLY_CORE_FREQUENCY_H

#include "core/private.h"

/* Whether its period is to be found out. */
static inline bool tally_event_has_frequency(const struct tally_core_event *event)
{
	return TALLY_CORE_FREQUENCIES && event->attr.freq && event->attr.sample_freq;
}

#if TALLY_CORE_FREQUENCIES

/* A sample is due: what its interval says of the rate. */
void tally_frequency_sample(struct tally_core_event *event);

/* The same of a tick, of an event that is on. */
void tally_frequency_tick(struct tally_core_event *event, uint64_t now);

/* What is known of the event's rate is from here on. */
void tally_frequency_restart(struct tally_core_event *event);

/* Its count begins with 0 again. */
static inline void tally_frequency_reset(struct tally_core_event *event)
{
	event->freq_count = event->freq_sampled = 0;
}

#else

static inline void tally_frequency_sample(struct tally_core_event *event)
{
}

static inline void tally_frequency_tick(struct tally_core_event *event, uint64_t now)
{
}

static inline void tally_frequency_restart(struct tally_core_event *event)
{
}

static inline void tally_frequency_reset(struct tally_core_event *event)
{
}

#endif

#endif
