/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver helpers that extend counters of any width to 64 bits, and manage their periods. */
#include "core/overflow.h"
#include "core/mmap_page.h"

static uint64_t width_mask(const struct tally_core_hw *hw)
{
	return hw->width >= 64 ? UINT64_MAX : (UINT64_C(1) << hw->width) - 1;
}

/*
 * Add the difference between two counter values to the count. This counter's overflow interrupt may
 * occur at any instruction and update the same count, and so may the interrupt of another counter
 * that samples the group's counts. Therefore the caller that succeeds in replacing the old value
 * with the new one adds the difference; a caller that fails reads the counter again. Above the
 * counter's width, `previous` holds a number that changes each time the counter is armed. The
 * number reveals that a counter with the same value as before has been armed again.
 */
static bool fold(struct tally_core_hw *hw, uint64_t previous, uint64_t now)
{
	struct tally_core_event *event = tally_event_of_hw(hw);
	uint64_t mask = width_mask(hw), passed = (now - previous) & mask;
	uint64_t next = (previous & ~mask) | (now & mask);

	if (!tally_local_compare_exchange(&hw->previous, &previous, next))
		return false;
	tally_local_add((uint64_t *)&hw->left, 0 - passed);
	tally_local_add(&event->count, passed);
	return true;
}

/* Do the same as fold() for hw's overflow interrupt, which the interrupts of other counters in the
 * group cannot preempt. */
static void fold_alone(struct tally_core_hw *hw, uint64_t now)
{
	uint64_t mask = width_mask(hw), passed = (now - hw->previous) & mask;

	tally_store_relaxed(&hw->previous, (hw->previous & ~mask) | (now & mask));
	hw->left -= (int64_t)passed;
	tally_count_alone(&tally_event_of_hw(hw)->count, passed);
}

void tally_core_hw_update(struct tally_core_hw *hw, uint64_t now)
{
	while (!fold(hw, tally_load_relaxed(&hw->previous), now))
		;
}

void tally_core_hw_fold(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
			uint64_t (*counter)(struct tally_core_pmu *pmu, struct tally_core_hw *hw))
{
	uint64_t previous;

	do {
		previous = tally_load_relaxed(&hw->previous);
	} while (!fold(hw, previous, counter(pmu, hw)));
}

/*
 * Counters count up and interrupt when they wrap. A counter is armed for at most half of its range.
 * So a value read between the wrap and the interrupt differs from all values before the wrap, and
 * sign extension in user space yields the right value.
 */
uint64_t tally_core_hw_arm(struct tally_core_hw *hw)
{
	uint64_t mask = width_mask(hw), far = mask / 2 + 1, value;

	/* If a period ended but the counter was removed before its interrupt arrived, the sample is
	 * taken at the next event. */
	if (hw->period)
		far = hw->left > 0 ? TALLY_MIN(far, (uint64_t)hw->left) : 1;
	value = (0 - far) & mask;
	tally_store_relaxed(&hw->previous, ((hw->previous & ~mask) + (mask + 1)) | value);
	return value;
}

/* Begin the next period where the last one ended, however late the overflow was noticed. If the
 * next period is over as well, begin a full period now. */
static void next_period(struct tally_core_hw *hw)
{
	hw->left += (int64_t)hw->period;
	if (hw->left <= 0)
		hw->left = (int64_t)hw->period;
}

bool tally_core_hw_overflow(struct tally_core_hw *hw, uint64_t now,
			    const struct tally_core_sample_data *sample_data, uint64_t *ret_next)
{
	struct tally_core_event *event = tally_event_of_hw(hw);
	bool go_on = true;

	fold_alone(hw, now);
	if (hw->period && hw->left <= 0) {
		hw->last_period = hw->period; /* frequency mode may change the next period */
		go_on = tally_overflow(event, sample_data, NULL, true);
		next_period(hw);
	}
	*ret_next = tally_core_hw_arm(hw);
	tally_page_recount(event);
	return go_on;
}
