/* SPDX-License-Identifier: BSD-2-Clause */
/* What is freed while something that was put off still names it. */
#include "core/least_test.h"

static struct least least;

static const struct tally_core_sample_data in_kernel = {.ip = 0x1234,
							.mode = PERF_RECORD_MISC_KERNEL};

/* 3: a mapping goes while its event is polled, at each point of that. */
static uint64_t until;
static int mapped;

static void unmap(void)
{
	least_munmap(&least, mapped);
}

static void unmap_between(struct least *where, enum least_point point, const volatile void *what)
{
	if (until && !--until && !least_overlap(where, unmap))
		until = 1;
}

static void test_unmapped_poll(void **state)
{
	struct perf_event_attr attr = attr_faults(1);

	least_test_begin(&least, 1, NULL);
	attr.wakeup_events = 1;
	mapped = must_open(&least, attr, NULL, 0, -1);
	for (uint64_t point = 1; point < 20; point++) {
		must_map(&least, mapped, 1, NULL);
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
		until = point;
		least.at = unmap_between;
		least_poll(&least, mapped);
		least.at = NULL;
		least_munmap(&least, mapped);
		assert_int_equal(least.pages, 0);
	}
	least_end(&least);
}

/* 7: a pinned event without room has a wakeup put off; then its FD_OUTPUT is refused. */
static void test_late_failure(void **state)
{
	struct perf_event_attr pinned = attr_counter(0);
	int no_ring;

	least_test_begin(&least, 1, NULL);
	pinned.pinned = 1;
	for (int i = 0; i < LEAST_COUNTERS; i++)
		must_open(&least, pinned, NULL, 0, -1);
	no_ring = must_open(&least, attr_faults(0), NULL, 0, -1);
	least.hold_deferred = true;
	assert_true(least_open(&least, least.tasks[0], &pinned, sizeof(pinned), -1, 0, no_ring,
			       PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP) < 0);
	least_deferred(&least);
	least_end(&least);
}

static int overflows;

static void overflow_at_stop(struct least *where, enum least_point point, const volatile void *what)
{
	if (point == LEAST_AT_STOP && !overflows++)
		least_overflow(where, 0, &in_kernel);
}

/* 8: an overflow interrupt while the events of a CPU that goes off line are taken off. */
static void test_offline(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.wakeup_events = 1;
	fd = must_open(&least, attr, NULL, 1, -1);
	must_map(&least, fd, 8, NULL);
	overflows = 0;
	least.at = overflow_at_stop;
	least.hold_deferred = true;
	least_on(&least, 1);
	least_count(&least, 0, 100);
	least_on(&least, 0);
	least_offline(&least, 1);
	assert_int_equal(overflows, 1);
	least.at = NULL;
	assert_int_equal(least.files[fd].notices, 1);
	least_close(&least, fd);
	least_online(&least, 1);
	least_on(&least, 1);
	least_deferred(&least);
	least_end(&least);
}

/* The same for a task's event, which goes on elsewhere. */
static void test_offline_of_task(void **state)
{
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.wakeup_events = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	must_map(&least, fd, 8, NULL);
	least_on(&least, 1);
	least_switch(&least, least.tasks[0]);
	least_count(&least, 0, 100);
	overflows = 0;
	least.at = overflow_at_stop;
	least.hold_deferred = true;
	least_on(&least, 0);
	least_offline(&least, 1);
	least.at = NULL;
	assert_int_equal(overflows, 1);
	least_close(&least, fd);
	least_online(&least, 1);
	least_on(&least, 1);
	least_deferred(&least);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unmapped_poll),
		cmocka_unit_test(test_late_failure),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_offline_of_task),
	};

	return cmocka_run_group_tests_name("core/least_offline", tests, NULL, NULL);
}
