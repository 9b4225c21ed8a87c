/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts and their quality. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tally/client.h"

static struct tally_count count(uint64_t value, uint64_t enabled, uint64_t running,
				enum tally_quality quality)
{
	return (struct tally_count){value, enabled, running, 0, quality};
}

static void counts_are_scaled_by_running_time(void **state)
{
	struct tally_count c = count(1000, 400, 100, TALLY_QUALITY_SCALED);

	assert_int_equal(tally_count_scaled(&c), 4000);
	c = count(1000, 400, 400, TALLY_QUALITY_EXACT);
	assert_int_equal(tally_count_scaled(&c), 1000);
	/* These products exceed 64 bits. */
	c = count(1ull << 60, 3ull << 40, 1ull << 40, TALLY_QUALITY_SCALED);
	assert_true(tally_count_scaled(&c) == 3ull << 60);
	c = count(UINT64_MAX, 2, 1, TALLY_QUALITY_SCALED);
	assert_true(tally_count_scaled(&c) == UINT64_MAX);
	c = count(0, 100, 0, TALLY_QUALITY_NEVER_RAN);
	assert_int_equal(tally_count_scaled(&c), 0);
}

static void sums_keep_the_worst_quality(void **state)
{
	struct tally_count exact = count(10, 100, 100, TALLY_QUALITY_EXACT);
	struct tally_count scaled = count(20, 100, 50, TALLY_QUALITY_SCALED);
	struct tally_count never = count(0, 7, 0, TALLY_QUALITY_NEVER_RAN);
	struct tally_count absent = count(0, 0, 0, TALLY_QUALITY_NOT_SUPPORTED);
	struct tally_count sum = tally_count_add(exact, scaled);

	assert_int_equal(sum.value, 30);
	assert_int_equal(sum.enabled, 200);
	assert_int_equal(sum.running, 150);
	assert_int_equal(sum.quality, TALLY_QUALITY_SCALED);
	/* An event that never ran does not affect the quality of an event that did. */
	assert_int_equal(tally_count_add(exact, never).quality, TALLY_QUALITY_EXACT);
	assert_int_equal(tally_count_add(absent, exact).quality, TALLY_QUALITY_EXACT);
	assert_int_equal(tally_count_add(never, absent).quality, TALLY_QUALITY_NOT_SUPPORTED);
	assert_int_equal(tally_count_add(never, never).quality, TALLY_QUALITY_NEVER_RAN);
}

static void differences_have_their_own_quality(void **state)
{
	struct tally_count before = count(10, 100, 50, TALLY_QUALITY_SCALED);
	struct tally_count now = count(25, 160, 110, TALLY_QUALITY_SCALED);
	struct tally_count since = tally_count_since(now, before);

	assert_int_equal(since.value, 15);
	assert_int_equal(since.enabled, 60);
	assert_int_equal(since.running, 60);
	assert_int_equal(since.quality, TALLY_QUALITY_EXACT); /* ran during the whole interval */
	since = tally_count_since(now, now);
	assert_int_equal(since.value, 0);
	assert_int_equal(since.quality, TALLY_QUALITY_NEVER_RAN);
	now.quality = TALLY_QUALITY_ESTIMATED;
	assert_int_equal(tally_count_since(now, before).quality, TALLY_QUALITY_ESTIMATED);
	now = count(0, 0, 0, TALLY_QUALITY_NOT_PERMITTED);
	assert_int_equal(tally_count_since(now, now).quality, TALLY_QUALITY_NOT_PERMITTED);
}

static void test_names(void **state)
{
	assert_string_equal(tally_quality_name(TALLY_QUALITY_EXACT), "exact");
	assert_string_equal(tally_quality_name(TALLY_QUALITY_ESTIMATED), "estimated");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_scaled_by_running_time),
		cmocka_unit_test(sums_keep_the_worst_quality),
		cmocka_unit_test(differences_have_their_own_quality),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
