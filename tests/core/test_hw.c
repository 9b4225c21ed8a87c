/* SPDX-License-Identifier: BSD-2-Clause */
/* Test the value that a driver writes to its counter. */
#include "core/core_private.h"
#include "test.h"

static uint64_t armed(uint8_t width, uint64_t period, int64_t left)
{
	struct tally_core_event event = {.hw = {.width = width, .period = period, .left = left}};
	uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	uint64_t value = tally_core_hw_arm(&event.hw);

	/* The bits above the counter width contain a number that changes each time the counter is
	 * armed. */
	assert_int_equal(event.hw.previous & mask, value);
	assert_int_equal(value & ~mask, 0);
	return (0 - value) & mask; /* number of events until overflow */
}

/* The counter overflows at the end of the period or halfway through its range, whichever comes
 * first. */
static void a_counter_overflows_at_the_end_of_the_period(void **state)
{
	assert_int_equal(armed(48, 1000, 1000), 1000);
	assert_int_equal(armed(48, 1000, 7), 7);
	assert_int_equal(armed(16, 1000000, 1000000), 1 << 15);
	assert_int_equal(armed(48, 0, 0), UINT64_C(1) << 47);
	assert_int_equal(armed(64, 0, 0), UINT64_C(1) << 63);
}

/* If the period ends while the counter is being removed, before its interrupt occurs, the next
 * event must cause an overflow. Otherwise the counter would be armed for a huge period, and there
 * would be no more samples. */
static void an_ended_period_overflows_with_the_next_event(void **state)
{
	assert_int_equal(armed(48, 1000, 0), 1);
	assert_int_equal(armed(48, 1000, -5), 1);
	assert_int_equal(armed(64, 1000, -2000), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_counter_overflows_at_the_end_of_the_period),
		cmocka_unit_test(an_ended_period_overflows_with_the_next_event),
	};

	return cmocka_run_group_tests_name("core/hw", tests, NULL, NULL);
}
