/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare sets of numbers with bit arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/arith.h"
#include "base/ranges.h"
#include "random.h"

enum { NUMBERS = 64 };

static void invalid_lists_are_rejected(void **state)
{
	static const char *const wrong[] = {"",           " ",  ",",  ",1",    "1,,2",
					    "2-1",        "-1", "1-", "1-2-3", "1 2",
					    "4294967296", "a",  "1x", "+1"};
	struct tally_ranges ranges = {0};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(wrong); i++) {
		assert_int_equal(tally_ranges_parse(wrong[i], &ranges), -EINVAL);
		assert_null(ranges.all.data);
	}
}

static void large_numbers_have_no_neighbours(void **state)
{
	struct tally_ranges ranges;

	assert_int_equal(tally_ranges_parse("4294967294-4294967295,0,4294967295", &ranges), 0);
	assert_int_equal(ranges.all.len, 2);
	assert_true(tally_ranges_have(&ranges, 0));
	assert_false(tally_ranges_have(&ranges, 1));
	assert_false(tally_ranges_have(&ranges, UINT32_MAX - 2));
	assert_true(tally_ranges_have(&ranges, UINT32_MAX));
	tally_ranges_free(&ranges);
}

/* Lists may contain blanks and a trailing comma, as shells and users write them. */
static void blanks_and_a_comma_at_the_end_change_nothing(void **state)
{
	static const char *const same[] = {"1,4-5", "1,4-5,", " 1, 4-5 ", "1 ,4- 5 , "};
	struct tally_ranges ranges;

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(same); i++) {
		assert_int_equal(tally_ranges_parse(same[i], &ranges), 0);
		assert_int_equal(ranges.all.len, 2);
		for (uint32_t number = 0; number < 8; number++)
			assert_int_equal(tally_ranges_have(&ranges, number),
					 number == 1 || number == 4 || number == 5);
		tally_ranges_free(&ranges);
	}
}

static void ranges_contain_the_written_numbers(void **state)
{
	struct random random = random_start();

	for (int round = 0; round < 2000; round++) {
		bool is_in[NUMBERS] = {false};
		struct tally_ranges ranges;
		char text[256];
		size_t len = 0, nr = 1 + random_below(&random, 6);

		for (size_t i = 0; i < nr; i++) {
			unsigned first = (unsigned)random_below(&random, NUMBERS);
			unsigned last = first + (unsigned)random_below(&random, NUMBERS - first);

			last = random_below(&random, 2) ? first : last;
			memset(is_in + first, true, last - first + 1);
			len += (size_t)sprintf(text + len, first == last ? "%s%u" : "%s%u-%u",
					       i ? "," : "", first, last);
		}
		assert_int_equal(tally_ranges_parse(text, &ranges), 0);
		for (uint32_t i = 0; i < NUMBERS; i++)
			assert_int_equal(tally_ranges_have(&ranges, i), is_in[i]);
		for (size_t i = 1; i < ranges.all.len; i++)
			assert_true(ranges.all.data[i - 1].last + 1 < ranges.all.data[i].first);
		tally_ranges_free(&ranges);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invalid_lists_are_rejected),
		cmocka_unit_test(blanks_and_a_comma_at_the_end_change_nothing),
		cmocka_unit_test(large_numbers_have_no_neighbours),
		cmocka_unit_test(ranges_contain_the_written_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
