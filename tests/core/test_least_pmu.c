/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs and tracepoints that leave while somebody is at them. */
#include <stdlib.h>

#include "least_test.h"

static struct least least;
static struct tally_core_pmu *first, *second;
static int gone, again;

static int not_mine(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return -ENOENT;
}

/* While it is asked both go: the one that is not asked for good. */
static int both_go(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	gone = tally_core_pmu_unregister(least.core, second);
	assert_int_equal(tally_core_pmu_unregister(least.core, first), -EBUSY);
	again = tally_core_pmu_unregister(least.core, second);
	if (!gone)
		free(second);
	return -ENOENT;
}

/* Who asks one PMU after the other goes on to one that is there. */
static void test_next_goes(void **state)
{
	struct perf_event_attr attr = attr_counter(0);

	least_test_begin(&least, 1, NULL);
	second = pmu_new(&least, 20, not_mine);
	first = pmu_new(&least, 21, both_go);
	attr.type = PERF_TYPE_RAW;
	assert_true(must_open(&least, attr, NULL, 0, -1) >= 0);
	assert_int_equal(gone, 0);
	assert_int_equal(again, -ENOENT);
	assert_int_equal(tally_core_pmu_unregister(least.core, first), 0);
	free(first);
	least_end(&least);
}

/* First the one that is asked, which stays half gone, then the one behind it. */
static int then_the_next(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	assert_int_equal(tally_core_pmu_unregister(least.core, first), -EBUSY);
	gone = tally_core_pmu_unregister(least.core, second);
	if (!gone)
		memset(second, 0xdd, sizeof(*second));
	return -ENOENT;
}

static void test_next_of_who_goes(void **state)
{
	struct perf_event_attr attr = attr_counter(0);

	least_test_begin(&least, 1, NULL);
	second = pmu_new(&least, 20, not_mine);
	first = pmu_new(&least, 21, then_the_next);
	attr.type = PERF_TYPE_RAW;
	assert_true(must_open(&least, attr, NULL, 0, -1) >= 0);
	assert_int_equal(gone, 0);
	assert_int_equal(tally_core_pmu_unregister(least.core, first), 0);
	free(first);
	free(second);
	least_end(&least);
}

static int leave_and_return(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_core_pmu *other;

	gone = tally_core_pmu_unregister(least.core, pmu);
	again = tally_core_pmu_register(least.core, pmu);
	/* Its type is its own until it is gone. */
	other = calloc(1, sizeof(*other));
	*other = *pmu;
	assert_int_equal(tally_core_pmu_register(least.core, other), -EEXIST);
	free(other);
	return -ENOENT;
}

/* What is half gone is not registered again. */
static void test_half_gone(void **state)
{
	struct perf_event_attr attr = attr_counter(0);

	least_test_begin(&least, 1, NULL);
	first = pmu_new(&least, 20, leave_and_return);
	attr.type = 20;
	assert_int_equal(least_open(&least, least.tasks[0], &attr, sizeof(attr), -1, 0, -1, 0),
			 -ENOENT);
	assert_int_equal(gone, -EBUSY);
	assert_int_equal(again, -EBUSY);
	assert_int_equal(first->users, 0);
	assert_int_equal(tally_core_pmu_unregister(least.core, first), 0);
	assert_int_equal(tally_core_pmu_unregister(least.core, first), -ENOENT);
	assert_int_equal(tally_core_pmu_register(least.core, first), 0);
	assert_int_equal(tally_core_pmu_unregister(least.core, first), 0);
	free(first);
	least_end(&least);
}

enum { FED = 300 };

static int fed, last;
static bool feeding;

/* One more, and the one before goes. */
static void feed(void)
{
	struct perf_event_attr attr = attr_faults(0);
	int fd = must_open(&least, attr, NULL, 0, -1);

	if (last >= 0)
		least_close(&least, last);
	last = fd;
}

static void feed_at(struct least *where, enum least_point point, const volatile void *what)
{
	if (point != LEAST_AT_RESTORE || fed == FED || feeding)
		return;
	feeding = true;
	fed += least_overlap(where, feed);
	feeding = false;
}

/* Who goes through what is open comes to an end although others open more. */
static void test_endless_list(void **state)
{
	least_test_begin(&least, 1, NULL);
	must_open(&least, attr_counter(0), NULL, 0, -1);
	fed = 0;
	last = -1;
	least.at = feed_at;
	assert_int_equal(tally_core_pmu_unregister(least.core, &least.pmus[1]), 0);
	least.at = NULL;
	assert_in_range(fed, 1, 20);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_next_goes),
		cmocka_unit_test(test_next_of_who_goes),
		cmocka_unit_test(test_half_gone),
		cmocka_unit_test(test_endless_list),
	};

	return cmocka_run_group_tests_name("core/least_pmu", tests, NULL, NULL);
}
