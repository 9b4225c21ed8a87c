/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adjust periods to a sampling frequency (attr.freq). Called on the event's CPU with interrupts
 * off, or in the event's overflow interrupt.
 */
#ifndef TALLY_CORE_FREQUENCY_H
#define TALLY_CORE_FREQUENCY_H

#include "core/core_private.h"

/* Return true if the event's period is adjusted to a frequency. */
static inline bool tally_event_has_frequency(const struct tally_core_event *event)
{
	return TALLY_CORE_FREQUENCIES && event->attr.freq && event->attr.sample_freq;
}

#if TALLY_CORE_FREQUENCIES

/* Adjust the period based on the time since the last sample. Called when a sample is due. */
void tally_frequency_sample(struct tally_core_event *event);

/* Adjust the period of an active event based on the event rate since the last tick. */
void tally_frequency_tick(struct tally_core_event *event, uint64_t now);

/* Restart measuring the event's rate. */
void tally_frequency_restart(struct tally_core_event *event);

/* Reset the counts from which the rate is measured. Called when the event's count is reset to 0. */
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
