/* SPDX-License-Identifier: BSD-2-Clause */
/* For drivers: counters of any width made 64 bits wide, and their periods. */
#include "core/overflow.h"
#include "core/page.h"

static uint64_t width_mask(const struct tally_core_hw *hw)
{
	return hw->width >= 64 ? UINT64_MAX : (UINT64_C(1) << hw->width) - 1;
}

void tally_core_hw_update(struct tally_core_hw *hw, uint64_t now)
{
	struct tally_core_event *event = tally_event_of_hw(hw);
	uint64_t passed = (now - hw->previous) & width_mask(hw);

	hw->previous = now;
	hw->left -= (int64_t)passed;
	/* The overflow interrupt of this counter is out: host.h. */
	tally_count_alone(&event->count, passed);
}

/*
 * Counters count up and interrupt when they wrap. Half of the range is the most that is ever
 * asked for: then what is read between the wrap and the interrupt can still be told from
 * what was before, and the value is right for user space that extends its sign.
 */
uint64_t tally_core_hw_arm(struct tally_core_hw *hw)
{
	uint64_t far = width_mask(hw) / 2 + 1;

	/* A period that ended while the interrupt was on its way, and the counter was taken off
	 * before it came, is over with the next event. */
	if (hw->period)
		far = hw->left > 0 ? TALLY_MIN(far, (uint64_t)hw->left) : 1;
	hw->previous = (0 - far) & width_mask(hw);
	return hw->previous;
}

/* The next period begins where the last one ended, however late that was noticed; unless it
 * was so late that the next one is over as well. */
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

	tally_core_hw_update(hw, now);
	if (hw->period && hw->left <= 0) {
		hw->last_period = hw->period; /* frequency mode changes the next one's */
		go_on = tally_overflow(event, sample_data, NULL, true);
		next_period(hw);
	}
	*ret_next = tally_core_hw_arm(hw);
	tally_page_recount(event);
	return go_on;
}
