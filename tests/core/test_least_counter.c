/* SPDX-License-Identifier: BSD-2-Clause */
/* What the review tried and the core withstood: it is to stay so. */
#include "core/least_test.h"

static struct least least;

static const struct tally_core_sample_data in_user = {.ip = 0x1000, .mode = PERF_RECORD_MISC_USER};

static void test_wrap(void **state)
{
	const uint64_t half = UINT64_C(1) << 47;
	int fd;

	least_test_begin_running(&least);
	fd = must_open(&least, attr_counter(0), NULL, 0, -1);
	least_count(&least, 0, half - 5);
	assert_int_equal(value_of(&least, fd), half - 5);
	least_count(&least, 0, half + 10);
	assert_int_equal(value_of(&least, fd), 2 * half + 5);
	least_end(&least);
}

/* A period that no counter is wide enough for is gone through in several rounds. */
static void test_huge_period(void **state)
{
	struct perf_event_attr attr = attr_counter((UINT64_C(1) << 63) - 1);
	struct perf_event_mmap_page *page;
	uint64_t before = 0;
	int fd;

	least_test_begin_running(&least);
	fd = must_open(&least, attr, NULL, 0, -1);
	page = must_map(&least, fd, 1, NULL);
	for (int i = 0; i < 5; i++) {
		least_count(&least, 0, (UINT64_C(1) << 48) - least.cpus[0].counters[0].value);
		assert_true(least_overflow(&least, 0, &in_user));
		assert_true(value_of(&least, fd) > before);
		before = value_of(&least, fd);
	}
	assert_int_equal(page->data_head, 0);
	least_end(&least);
}

/* An exclusive group whose last counter is closed while it is on gives the PMU back. */
static void test_exclusive_without_counter(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *other;
	int leader, sibling, fd;

	least_test_begin(&least, 1, NULL);
	other = least_task_new(&least);
	least_switch(&least, least.tasks[0]);
	attr.exclusive = 1;
	leader = must_open(&least, attr, least.tasks[0], -1, -1);
	sibling = must_open(&least, attr_counter(0), least.tasks[0], -1, leader);
	least_close(&least, sibling);
	least_close(&least, leader);
	least_switch(&least, other);
	fd = must_open(&least, attr_counter(0), other, -1, -1);
	least_count(&least, 0, 100);
	assert_int_equal(count_of(&least, fd), 100);
	least_end(&least);
}

static void test_pinned_in_error(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int pinned[5], sibling;
	uint64_t words[8];

	least_test_begin_running(&least);
	attr.pinned = 1;
	for (int i = 0; i < 5; i++)
		pinned[i] = must_open(&least, attr, NULL, 0, -1);
	attr.pinned = 0;
	sibling = must_open(&least, attr, NULL, 0, pinned[4]);
	assert_int_equal(least_read(&least, pinned[4], words, sizeof(words)), 0);
	assert_int_equal(least_read(&least, sibling, words, sizeof(words)), 8);
	least_close(&least, pinned[0]);
	least_ioctl(&least, least.tasks[0], pinned[4], PERF_EVENT_IOC_ENABLE, 0);
	assert_int_equal(least_read(&least, pinned[4], words, sizeof(words)), 0);
	least_end(&least);
}

static void test_period_of_idle(void **state)
{
	struct perf_event_mmap_page *page;
	uint64_t period = 7;
	int fd;

	least_test_begin_running(&least);
	fd = must_open(&least, attr_faults(100), least.tasks[0], -1, -1);
	page = must_map(&least, fd, 2, NULL);
	assert_int_equal(
		least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period),
		0);
	least_switch(&least, least.tasks[0]);
	for (int i = 0; i < 70; i++)
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, 10 * 16);
	least_end(&least);
}

static void test_no_tick(void **state)
{
	least_test_begin_running(&least);
	tally_core_settings(least.core)->tick_ns = 0;
	must_open(&least, attr_counter(10), NULL, 0, -1);
	least_tick(&least);
	least_overflow(&least, 0, &in_user);
	least_end(&least);
}

/* A group is as large as what a read of it may be, and that is read. */
static void test_largest_group(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	static uint64_t words[2 * LEAST_FILES + 1];
	int lead, nr = 1;

	least_test_begin_running(&least);
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	lead = must_open(&least, attr, NULL, 0, -1);
	while (least_open(&least, least.tasks[0], &attr, sizeof(attr), -1, 0, lead, 0) >= 0)
		nr++;
	assert_true(nr > 100);
	assert_int_equal(least_read(&least, lead, words, sizeof(words)), 8 + 16 * nr);
	assert_int_equal(words[0], nr);
	least_end(&least);
}

/* An event that is throttled stops with its whole group. */
static void test_throttled_group(void **state)
{
	struct tally_core_settings settings;
	int lead, fd, turns = 0;
	uint64_t before;

	tally_core_settings_init(&settings);
	settings.max_sample_rate = 1000;
	least_test_begin(&least, 1, &settings);
	lead = must_open(&least, attr_counter(100), NULL, 0, -1);
	fd = must_open(&least, attr_counter(0), NULL, 0, lead);
	while (turns++ < 100) {
		least_count(&least, 0, 100);
		least_count(&least, 1, 100);
		if (!least_overflow(&least, 0, &in_user))
			break;
	}
	assert_in_range(turns, 1, 99);
	before = value_of(&least, fd);
	least_count(&least, 0, 100000);
	least_count(&least, 1, 100000);
	assert_int_equal(value_of(&least, fd), before);
	least_advance(&least, 4000000);
	least_tick(&least);
	least_count(&least, 0, 50);
	least_count(&least, 1, 50);
	assert_int_equal(value_of(&least, fd), before + 50);
	assert_int_equal(value_of(&least, lead), value_of(&least, fd));
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_huge_period),
		cmocka_unit_test(test_exclusive_without_counter),
		cmocka_unit_test(test_pinned_in_error),
		cmocka_unit_test(test_period_of_idle),
		cmocka_unit_test(test_no_tick),
		cmocka_unit_test(test_largest_group),
		cmocka_unit_test(test_throttled_group),
	};

	return cmocka_run_group_tests_name("core/least_counter", tests, NULL, NULL);
}
