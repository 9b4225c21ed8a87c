/* SPDX-License-Identifier: BSD-2-Clause */
/* Adjust periods to a sampling frequency (attr.freq). */
#include "core/frequency.h"

#include "core/overflow.h"

#if TALLY_CORE_FREQUENCIES

enum {
	FREQ_JUMP = 4,   /* adopt a new estimate at once if it is off by more than this factor */
	FREQ_SMOOTH = 8, /* otherwise apply 1/FREQ_SMOOTH of the difference each time */
};

/* Compute count * 1e9 / (ns * freq) without a 128-bit division, which would need a library call.
 * Dividend and divisor are shifted right until they fit, which loses about one part in a
 * million. */
static uint64_t period_for(uint64_t count, uint64_t ns, uint64_t freq)
{
	struct tally_wide events = tally_mul_wide(count, TALLY_NS_PER_S);
	struct tally_wide samples = tally_mul_wide(ns, freq);

	while (events.high || samples.high) {
		events = tally_wide_half(events);
		samples = tally_wide_half(samples);
	}
	return samples.low ? tally_div(events.low, samples.low) : 0;
}

static void adjust(struct tally_core_event *event, uint64_t count, uint64_t ns)
{
	uint64_t old = event->hw.period;
	uint64_t now = period_for(count, ns, event->attr.sample_freq);
	uint64_t limit = INT64_MAX / 2;

	now = TALLY_MAX(TALLY_MIN(now, limit), 1);
	if (now / FREQ_JUMP <= old && old / FREQ_JUMP <= now)
		now = now > old ? old + (now - old + FREQ_SMOOTH - 1) / FREQ_SMOOTH
				: old - (old - now) / FREQ_SMOOTH;
	event->hw.period = now;
}

/* Adjust the period based on the interval between two samples, without waiting for the next tick.
 * An interval of two ticks or more reflects a pause rather than the rate. */
void tally_frequency_sample(struct tally_core_event *event)
{
	uint64_t now = tally_clock(event->core);
	uint64_t passed = now - event->freq_stamp;
	uint64_t counted = event->count - event->freq_sampled;

	event->freq_stamp = now;
	event->freq_sampled = event->count;
	if (passed && counted && passed < 2 * (uint64_t)event->core->settings.tick_ns)
		adjust(event, counted, passed);
}

/* Adjust the period based on the rate during the last tick, even without a sample. */
void tally_frequency_tick(struct tally_core_event *event, uint64_t now)
{
	struct tally_core_hw *hw = &event->hw;
	uint64_t counted, passed = now - event->freq_tick;

	if (!passed || !hw->running)
		return;
	event->pmu->stop(event->pmu, hw);
	counted = event->count - event->freq_count;
	event->freq_count = event->count;
	event->freq_tick = now;
	if (counted)
		adjust(event, counted, passed);
	hw->left = TALLY_MIN(hw->left, (int64_t)hw->period);
	tally_overflow_resume(event);
}

void tally_frequency_restart(struct tally_core_event *event)
{
	event->freq_stamp = event->freq_tick = tally_clock(event->core);
	event->freq_count = event->freq_sampled = event->count;
}

#endif
