/* SPDX-License-Identifier: BSD-2-Clause */
/* Time ranges as typed by users. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arith.h"
#include "profile/time_range.h"

static void time_ranges_are_read(void **state)
{
	static const char *const wrong[] = {
		"",     "x",        "1,2,3",  "2,1",      "1,x",     "1x,2",
		"10%",  "10%-101%", "-1%-2%", "10%-20%x", "20%-10%", "1..2",
		"+1,2", "1,+2",     "+2,+1",  "++1,+2",   "+",       "99999999999999999999"};
	struct tally_time_range range = {.first = 7}, whole;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(wrong); i++) {
		if (tally_time_range_parse(wrong[i], &range) != -EINVAL)
			fail_msg("%s", wrong[i]);
		assert_int_equal(range.first, 7);
	}
	assert_int_equal(tally_time_range_parse("1.5,", &range), 0);
	assert_int_equal(range.first, 1500000000);
	assert_true(range.last == UINT64_MAX);
	assert_int_equal(tally_time_range_parse(",0.000000001", &range), 0);
	assert_int_equal(range.first, 0);
	assert_int_equal(range.last, 1);
	assert_int_equal(tally_time_range_parse("0%-100%", &range), 0);
	whole = range;
	tally_time_range_resolve(&whole, 1, UINT64_MAX);
	assert_int_equal(whole.first, 1);
	assert_true(whole.last == UINT64_MAX);
	tally_time_range_resolve(&range, 5, 3005);
	assert_int_equal(range.first, 5);
	assert_int_equal(range.last, 3005);
}

static void a_range_since_the_first_sample_is_resolved(void **state)
{
	struct tally_time_range range;

	assert_int_equal(tally_time_range_parse("+1.5,+2", &range), 0);
	assert_true(tally_time_range_is_relative(&range));
	tally_time_range_resolve(&range, 7, 8);
	assert_int_equal(range.first, 1500000007);
	assert_int_equal(range.last, 2000000007);
	tally_time_range_resolve(&range, 0, 8);
	assert_int_equal(range.first, 1500000000);
	assert_int_equal(tally_time_range_parse("+1,", &range), 0);
	tally_time_range_resolve(&range, 7, 8);
	assert_int_equal(range.first, 1000000007);
	assert_true(range.last == UINT64_MAX);
	assert_int_equal(tally_time_range_parse(",+1", &range), 0);
	tally_time_range_resolve(&range, UINT64_MAX - 5, UINT64_MAX);
	assert_true(range.first == UINT64_MAX - 5 && range.last == UINT64_MAX);
}

static void several_time_ranges_are_read(void **state)
{
	static const char *const wrong[] = {"",        "1,2,3",     "10%/0", "10%/11",
					    "0%/1",    "10%/x",     "10%,x", "101%",
					    "1,2 2,1", "10%-20%,1", "10%/",  "nan%/1"};
	struct tally_time_ranges ranges = {0};

	assert_true(tally_time_ranges_have(&ranges, 5));
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(wrong); i++)
		if (tally_time_ranges_parse(wrong[i], &ranges) != -EINVAL || ranges.all.len)
			fail_msg("%s", wrong[i]);
	assert_int_equal(tally_time_ranges_parse("1,2 4,", &ranges), 0);
	assert_false(tally_time_ranges_are_relative(&ranges));
	assert_true(tally_time_ranges_have(&ranges, 2000000000));
	assert_false(tally_time_ranges_have(&ranges, 3000000000));
	assert_true(tally_time_ranges_have(&ranges, 4000000000));
	tally_time_ranges_free(&ranges);
	assert_int_equal(tally_time_ranges_parse("10%/2,50%-60%,10%", &ranges), 0);
	assert_true(tally_time_ranges_are_relative(&ranges));
	tally_time_ranges_resolve(&ranges, 1000, 2000);
	assert_true(tally_time_ranges_have(&ranges, 1050));
	assert_true(tally_time_ranges_have(&ranges, 1150));
	assert_false(tally_time_ranges_have(&ranges, 1250));
	assert_true(tally_time_ranges_have(&ranges, 1600));
	assert_false(tally_time_ranges_have(&ranges, 1601));
	tally_time_ranges_free(&ranges);
	assert_int_equal(tally_time_ranges_parse("+1,+2 5,6", &ranges), 0);
	assert_true(tally_time_ranges_are_relative(&ranges));
	tally_time_ranges_resolve(&ranges, 1000000000, 9000000000);
	assert_true(tally_time_ranges_have(&ranges, 2500000000));
	assert_true(tally_time_ranges_have(&ranges, 5500000000));
	assert_false(tally_time_ranges_have(&ranges, 4000000000));
	tally_time_ranges_free(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_ranges_are_read),
		cmocka_unit_test(a_range_since_the_first_sample_is_resolved),
		cmocka_unit_test(several_time_ranges_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
