/* SPDX-License-Identifier: BSD-2-Clause */
/* What a driver is told to write into its counter. */
#include "core/private.h"
#include "test.h"

static uint64_t armed(uint8_t width, uint64_t period, int64_t left)
{
	struct tally_core_event event = {.hw = {.width = width, .period = period, .left = left}};
	uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	uint64_t value = tally_core_hw_arm(&event.hw);

	/* Above the width is a number that changes with each arming. */
	assert_int_equal(event.hw.previous & mask, value);
	assert_int_equal(value & ~mask, 0);
	return (0 - value) & mask; /* events until it wraps */
}

/* At the end of the period, but never further away than half of the range. */
static void test_distance(void **state)
{
	assert_int_equal(armed(48, 1000, 1000), 1000);
	assert_int_equal(armed(48, 1000, 7), 7);
	assert_int_equal(armed(16, 1000000, 1000000), 1 << 15);
	assert_int_equal(armed(48, 0, 0), UINT64_C(1) << 47);
	assert_int_equal(armed(64, 0, 0), UINT64_C(1) << 63);
}

/* A period that ended while the counter was being taken off, before its interrupt came, is over
 * with the next event: far away, and no sample would ever be written again. Met on hosts/riscv.
 */
static void test_period_over(void **state)
{
	assert_int_equal(armed(48, 1000, 0), 1);
	assert_int_equal(armed(48, 1000, -5), 1);
	assert_int_equal(armed(64, 1000, -2000), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_period_over),
	};

	return cmocka_run_group_tests_name("core/hw", tests, NULL, NULL);
}
