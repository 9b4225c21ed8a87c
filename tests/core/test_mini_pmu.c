/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs that are unregistered while the core iterates over its PMUs or events. */
#include <stdlib.h>

#include "core/mini_test.h"

static struct mini mini;
static struct tally_core_pmu *first, *second;
static int gone, again;

static int not_mine(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return -ENOENT;
}

/* The first PMU's init() unregisters both PMUs. The second is removed immediately, but the first is
 * still in use. */
static int both_go(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	gone = tally_core_pmu_unregister(mini.core, second);
	assert_int_equal(tally_core_pmu_unregister(mini.core, first), -EBUSY);
	again = tally_core_pmu_unregister(mini.core, second);
	if (!gone)
		free(second);
	return -ENOENT;
}

static void raw_open_goes_on_when_the_next_pmu_is_unregistered(void **state)
{
	struct perf_event_attr attr = attr_counter(0);

	mini_test_begin(&mini, 1, NULL);
	second = pmu_new(&mini, 20, not_mine);
	first = pmu_new(&mini, 21, both_go);
	attr.type = PERF_TYPE_RAW;
	assert_true(must_open(&mini, attr, NULL, 0, -1) >= 0);
	assert_int_equal(gone, 0);
	assert_int_equal(again, -ENOENT);
	assert_int_equal(tally_core_pmu_unregister(mini.core, first), 0);
	free(first);
	mini_end(&mini);
}

/* The first PMU's init() unregisters the first PMU, which is still in use, and then the next
 * one. */
static int then_the_next(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	assert_int_equal(tally_core_pmu_unregister(mini.core, first), -EBUSY);
	gone = tally_core_pmu_unregister(mini.core, second);
	if (!gone)
		memset(second, 0xdd, sizeof(*second));
	return -ENOENT;
}

static void raw_open_goes_on_when_the_asked_and_the_next_pmu_are_unregistered(void **state)
{
	struct perf_event_attr attr = attr_counter(0);

	mini_test_begin(&mini, 1, NULL);
	second = pmu_new(&mini, 20, not_mine);
	first = pmu_new(&mini, 21, then_the_next);
	attr.type = PERF_TYPE_RAW;
	assert_true(must_open(&mini, attr, NULL, 0, -1) >= 0);
	assert_int_equal(gone, 0);
	assert_int_equal(tally_core_pmu_unregister(mini.core, first), 0);
	free(first);
	free(second);
	mini_end(&mini);
}

static void a_pmu_is_registered_once(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_pmu *pmu;

	mini_test_begin(&mini, 1, NULL);
	pmu = pmu_new(&mini, PERF_TYPE_SOFTWARE, not_mine);
	assert_int_equal(tally_core_pmu_register(mini.core, pmu), -EEXIST);
	assert_true(must_open(&mini, attr, NULL, 0, -1) >= 0);
	assert_int_equal(tally_core_pmu_unregister(mini.core, pmu), 0);
	free(pmu);
	mini_end(&mini);
}

static int leave_and_return(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_core_pmu *other;

	gone = tally_core_pmu_unregister(mini.core, pmu);
	again = tally_core_pmu_register(mini.core, pmu);
	/* The PMU's type stays reserved until the PMU is removed. */
	other = calloc(1, sizeof(*other));
	*other = *pmu;
	assert_int_equal(tally_core_pmu_register(mini.core, other), -EEXIST);
	free(other);
	return -ENOENT;
}

static void a_pmu_that_is_being_unregistered_is_not_registered_again(void **state)
{
	struct perf_event_attr attr = attr_counter(0);

	mini_test_begin(&mini, 1, NULL);
	first = pmu_new(&mini, 20, leave_and_return);
	attr.type = 20;
	assert_int_equal(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), -1, 0, -1, 0),
			 -ENOENT);
	assert_int_equal(gone, -EBUSY);
	assert_int_equal(again, -EBUSY);
	assert_int_equal(first->users, 0);
	assert_int_equal(tally_core_pmu_unregister(mini.core, first), 0);
	assert_int_equal(tally_core_pmu_unregister(mini.core, first), -ENOENT);
	assert_int_equal(tally_core_pmu_register(mini.core, first), 0);
	assert_int_equal(tally_core_pmu_unregister(mini.core, first), 0);
	free(first);
	mini_end(&mini);
}

enum { FED = 300 };

static int fed, last;
static bool feeding;

/* Open another event and close the previous one. */
static void feed(void)
{
	struct perf_event_attr attr = attr_faults(0);
	int fd = must_open(&mini, attr, NULL, 0, -1);

	if (last >= 0)
		mini_close(&mini, last);
	last = fd;
}

static void feed_at(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point != MINI_AT_RESTORE || fed == FED || feeding)
		return;
	feeding = true;
	fed += mini_overlap(where, feed);
	feeding = false;
}

static void unregister_ends_while_events_are_opened(void **state)
{
	mini_test_begin(&mini, 1, NULL);
	must_open(&mini, attr_counter(0), NULL, 0, -1);
	fed = 0;
	last = -1;
	mini.at = feed_at;
	assert_int_equal(tally_core_pmu_unregister(mini.core, &mini.pmus[1]), 0);
	mini.at = NULL;
	assert_in_range(fed, 1, 20);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pmu_is_registered_once),
		cmocka_unit_test(raw_open_goes_on_when_the_next_pmu_is_unregistered),
		cmocka_unit_test(raw_open_goes_on_when_the_asked_and_the_next_pmu_are_unregistered),
		cmocka_unit_test(a_pmu_that_is_being_unregistered_is_not_registered_again),
		cmocka_unit_test(unregister_ends_while_events_are_opened),
	};

	return cmocka_run_group_tests_name("core/minimal_pmu", tests, NULL, NULL);
}
