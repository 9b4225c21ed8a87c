/* SPDX-License-Identifier: BSD-2-Clause */
/* Test regions with fake counters that the test controls, and with events of the running kernel. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region_fake.h"
#include "probe.h"

static void check_count(const struct tally_regions *regions, size_t region, size_t event,
			uint64_t value, enum tally_quality quality)
{
	struct tally_count count;

	assert_int_equal(tally_regions_count(regions, region, event, &count), 0);
	assert_int_equal(count.value, value);
	assert_int_equal(count.quality, quality);
}

static void check_region(const struct tally_regions *regions, size_t index, const char *name,
			 size_t parent, uint64_t calls)
{
	struct tally_region region;

	assert_int_equal(tally_regions_get(regions, index, &region), 0);
	assert_string_equal(region.name, name);
	assert_true(region.parent == parent);
	assert_int_equal(region.calls, calls);
}

/* load { parse } load { parse { load } } parse */
static void run_nested_regions(struct tally_regions *regions)
{
	assert_int_equal(tally_region_start(regions, "load"), 0);
	advance_counters(1, 0);
	tally_region_start(regions, "parse");
	advance_counters(10, 0);
	assert_int_equal(tally_region_stop(regions), 0);
	tally_region_stop(regions);
	advance_counters(1000, 0);
	tally_region_start(regions, "load");
	tally_region_start(regions, "parse");
	tally_region_start(regions, "load");
	advance_counters(100, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tally_region_stop(regions), 0);
	tally_region_start(regions, "parse");
	advance_counters(5, 0);
	tally_region_stop(regions);
}

static void check_nest(const struct tally_regions *regions, uint64_t times)
{
	assert_int_equal(tally_regions_nr(regions), 4);
	check_region(regions, 0, "load", TALLY_REGIONS_NO_PARENT, 2 * times);
	check_region(regions, 1, "parse", 0, 2 * times);
	check_region(regions, 2, "load", 1, times);
	check_region(regions, 3, "parse", TALLY_REGIONS_NO_PARENT, times);
	for (size_t i = 0; i < 2; i++) {
		check_count(regions, 0, i, 111 * (i + 1) * times, TALLY_QUALITY_EXACT);
		check_count(regions, 1, i, 110 * (i + 1) * times, TALLY_QUALITY_EXACT);
		check_count(regions, 2, i, 100 * (i + 1) * times, TALLY_QUALITY_EXACT);
		check_count(regions, 3, i, 5 * (i + 1) * times, TALLY_QUALITY_EXACT);
	}
}

static void test_nesting(void **state)
{
	struct tally_regions *regions = open_fake("{task-clock,faults}");

	run_nested_regions(regions);
	assert_int_equal(fake.reads, 12); /* one for each start and each stop */
	check_nest(regions, 1);
	assert_string_equal(tally_regions_event(regions, 1), "faults");
	assert_null(tally_regions_event(regions, 2));
	assert_null(tally_regions_refusal(regions, 0));
	assert_int_equal(tally_regions_get(regions, 4, &(struct tally_region){0}), -ENOENT);
	assert_int_equal(tally_regions_count(regions, 0, 2, &(struct tally_count){0}), -ENOENT);
	tally_regions_close(regions);
}

static void test_self_reads(void **state)
{
	struct tally_regions *regions;

	fake.maps = fake.times = true;
	regions = open_fake("{task-clock,faults}");
	assert_true(tally_regions_is_self_read(regions, 1));
	run_nested_regions(regions);
	assert_int_equal(fake.reads, 0);
	check_nest(regions, 1);
	/* One group member is not on a counter, so the group is read with a system call. */
	((struct perf_event_mmap_page *)fake.page[1])->index = 0;
	tally_region_start(regions, "call");
	tally_region_stop(regions);
	assert_int_equal(fake.reads, 2);
	tally_regions_close(regions);
}

/* Count regions with three events, the first of which user space cannot read. `self` are the events
 * that need no system call: those of groups without the first event. */
static void check_some_groups(const char *events, const bool self[3])
{
	struct tally_regions *regions;

	fake.maps = fake.times = true;
	fake.unmapped = 1;
	regions = open_fake(events);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(tally_regions_is_self_read(regions, i), self[i]);
	run_nested_regions(regions);
	assert_int_equal(fake.reads, 12);
	check_nest(regions, 1);
	check_count(regions, 0, 2, 333, TALLY_QUALITY_EXACT);
	tally_regions_close(regions);
}

static void test_self_reads_of_one_group(void **state)
{
	check_some_groups("task-clock,{faults,cs}", (bool[]){false, true, true});
}

static void a_group_is_read_as_a_whole(void **state)
{
	check_some_groups("{task-clock,faults},cs", (bool[]){false, false, true});
}

static void test_page_without_times(void **state)
{
	struct tally_regions *regions;

	fake.maps = true;
	regions = open_fake("task-clock,faults");
	assert_false(tally_regions_is_self_read(regions, 0));
	run_nested_regions(regions);
	check_nest(regions, 1);
	assert_int_equal(fake.reads, 24);
	tally_regions_close(regions);
}

static void counts_of_stopped_counters_never_ran(void **state)
{
	struct tally_regions *regions = open_fake("task-clock");

	tally_region_start(regions, "half");
	advance_counters(3, 50);
	tally_region_stop(regions);
	tally_region_start(regions, "none");
	advance_counters(0, 100);
	tally_region_stop(regions);
	check_count(regions, 0, 0, 3, TALLY_QUALITY_SCALED);
	check_count(regions, 1, 0, 0, TALLY_QUALITY_NEVER_RAN);
	/* After a read has returned end of file, the event no longer has a valid count, not even
	 * for earlier executions of the region. */
	fake.ended = true;
	tally_region_start(regions, "half");
	tally_region_stop(regions);
	check_count(regions, 0, 0, 0, TALLY_QUALITY_NEVER_RAN);
	tally_regions_close(regions);
}

static void test_estimates(void **state)
{
	struct tally_regions *regions;

	fake.transport.estimates = true;
	regions = open_fake("task-clock");
	tally_region_start(regions, "r");
	advance_counters(3, 0);
	tally_region_stop(regions);
	check_count(regions, 0, 0, 3, TALLY_QUALITY_ESTIMATED);
	tally_regions_close(regions);
}

static void test_refused(void **state)
{
	struct tally_regions_error err;
	struct tally_regions *regions;

	fake.refused = PERF_COUNT_SW_PAGE_FAULTS;
	regions = open_fake("task-clock,faults");
	tally_region_start(regions, "r");
	advance_counters(3, 0);
	tally_region_stop(regions);
	check_count(regions, 0, 0, 3, TALLY_QUALITY_EXACT);
	check_count(regions, 0, 1, 0, TALLY_QUALITY_NOT_SUPPORTED);
	assert_int_equal(tally_regions_refusal(regions, 1)->code, -EOPNOTSUPP);
	tally_regions_close(regions);
	assert_int_equal(tally_regions_open("no-such-event", NULL, &regions, &err), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_string_equal(err.event.slice, "no-such-event");
	assert_int_equal(tally_regions_open("faults,duration_time", NULL, &regions, &err), -EINVAL);
	assert_int_equal(err.event.code, -EINVAL);
	assert_string_equal(err.event.slice, "duration_time");
}

static void test_unpaired(void **state)
{
	char name[TALLY_REGIONS_NAME_MAX + 2];
	struct tally_regions *regions = open_fake("task-clock");

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(tally_region_stop(regions), -EINVAL);
	assert_int_equal(tally_region_start(NULL, "r"), 0);
	assert_int_equal(tally_region_stop(NULL), 0);
	assert_int_equal(tally_region_start(regions, ""), -EINVAL);
	assert_int_equal(tally_region_start(regions, "inside"), -E2BIG);
	assert_int_equal(tally_region_stop(regions), 0);
	assert_int_equal(tally_region_stop(regions), 0);
	assert_int_equal(tally_region_start(regions, name), -EINVAL);
	assert_int_equal(tally_region_stop(regions), 0);
	for (int i = 0; i < TALLY_REGIONS_DEPTH; i++)
		assert_int_equal(tally_region_start(regions, name + 1), 0);
	assert_int_equal(tally_region_start(regions, "deeper"), -E2BIG);
	for (int i = 0; i <= TALLY_REGIONS_DEPTH; i++)
		assert_int_equal(tally_region_stop(regions), 0);
	assert_int_equal(tally_region_stop(regions), -EINVAL);
	assert_int_equal(tally_regions_unmeasured(regions), 4);
	assert_int_equal(tally_regions_nr(regions), TALLY_REGIONS_DEPTH);
	tally_regions_close(regions);
	tally_regions_close(NULL);
}

static void *start_elsewhere(void *regions)
{
	return (void *)(intptr_t)tally_region_start(regions, "elsewhere");
}

static void test_other_thread(void **state)
{
	struct tally_regions *regions = open_fake("task-clock");
	pthread_t thread;
	void *ret;

	assert_int_equal(pthread_create(&thread, NULL, start_elsewhere, regions), 0);
	pthread_join(thread, &ret);
	assert_int_equal((intptr_t)ret, -EPERM);
	assert_int_equal(tally_regions_nr(regions), 0);
	tally_regions_close(regions);
}

static void regions_are_added_by_name(void **state)
{
	struct tally_regions *a = open_fake("task-clock,faults"), *b, *c;

	run_nested_regions(a);
	fake.nr = 0;
	b = open_fake("task-clock,faults");
	/* Regions are matched by name, not by order. */
	tally_region_start(b, "parse");
	tally_region_stop(b);
	run_nested_regions(b);
	fake.nr = 0;
	c = open_fake("task-clock,minor-faults");
	assert_int_equal(tally_regions_add(a, c), -EINVAL);
	assert_int_equal(tally_regions_add(a, a), -EINVAL);
	assert_int_equal(tally_regions_add(a, b), 0);
	check_region(a, 3, "parse", TALLY_REGIONS_NO_PARENT, 3);
	check_count(a, 0, 1, 444, TALLY_QUALITY_EXACT);
	check_count(a, 2, 0, 200, TALLY_QUALITY_EXACT);
	assert_int_equal(tally_regions_nr(a), 4);
	tally_regions_close(a);
	tally_regions_close(b);
	tally_regions_close(c);
}

static void many_regions_are_found_by_name(void **state)
{
	enum { NR = 20000 };
	struct tally_regions *regions = open_fake("task-clock");
	char name[16];

	for (int i = 0; i < 2 * NR; i++) {
		snprintf(name, sizeof(name), "%d", i % NR);
		tally_region_start(regions, i % 3 ? "odd" : "even");
		tally_region_start(regions, name);
		tally_region_stop(regions);
		tally_region_stop(regions);
	}
	/* Each name was started below one or both of two regions. */
	assert_in_range(tally_regions_nr(regions), 2 + NR, 2 + 2 * NR);
	for (size_t i = 0, calls = 0; i <= tally_regions_nr(regions); i++) {
		struct tally_region region;

		if (tally_regions_get(regions, i, &region))
			assert_int_equal(calls, 4 * NR);
		else
			calls += region.calls;
	}
	tally_regions_close(regions);
}

static void regions_count_on_the_running_kernel(void **state)
{
	struct tally_regions_options options = {.time = true};
	volatile unsigned sum = 0;
	struct tally_regions *regions;
	struct tally_region region;
	struct tally_count count;

	assert_int_equal(tally_regions_open("task-clock:u", &options, &regions, NULL), 0);
	tally_region_start(regions, "loop");
	for (unsigned i = 0; i < 1000000; i++)
		sum = sum + i;
	tally_region_stop(regions);
	assert_int_equal(tally_regions_get(regions, 0, &region), 0);
	assert_int_equal(tally_regions_count(regions, 0, 0, &count), 0);
	assert_true(region.time > 0);
	if (probe_task_clock())
		assert_null(tally_regions_refusal(regions, 0));
	if (tally_regions_refusal(regions, 0))
		assert_int_equal(count.value, 0);
	else
		assert_true(count.value > 0 && count.value <= region.time);
	tally_regions_close(regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_nesting, set_up),
		cmocka_unit_test_setup(test_self_reads, set_up),
		cmocka_unit_test_setup(test_self_reads_of_one_group, set_up),
		cmocka_unit_test_setup(a_group_is_read_as_a_whole, set_up),
		cmocka_unit_test_setup(test_page_without_times, set_up),
		cmocka_unit_test_setup(counts_of_stopped_counters_never_ran, set_up),
		cmocka_unit_test_setup(test_estimates, set_up),
		cmocka_unit_test_setup(test_refused, set_up),
		cmocka_unit_test_setup(test_unpaired, set_up),
		cmocka_unit_test_setup(test_other_thread, set_up),
		cmocka_unit_test_setup(regions_are_added_by_name, set_up),
		cmocka_unit_test_setup(many_regions_are_found_by_name, set_up),
		cmocka_unit_test_setup(regions_count_on_the_running_kernel, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
