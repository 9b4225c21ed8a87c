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

/* User space writes whatever it likes to its page: the ring is full, or goes on. */
static void test_nonsense_in_page(void **state)
{
	struct perf_event_mmap_page *page;
	int fd;

	least_test_begin_running(&least);
	fd = must_open(&least, attr_faults(1), NULL, 0, -1);
	page = must_map(&least, fd, 2, NULL);
	page->data_tail = UINT64_C(1) << 62;
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, 0);
	page->data_tail = UINT64_MAX;
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	page->data_tail = 0;
	memset(page, 0xff, 1024);
	page->data_tail = 0;
	page->data_size = 1;
	for (int i = 0; i < 600; i++)
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_in_range(page->data_head, 16, 2 * 4096 - 1);
	least_end(&least);
}

static void test_output_of_unmapped(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	int target, fd, elsewhere;

	least_test_begin_running(&least);
	target = must_open(&least, attr, NULL, 0, -1);
	must_map(&least, target, 2, NULL);
	fd = must_open(&least, attr, NULL, 0, -1);
	elsewhere = must_open(&least, attr, NULL, 1, -1);
	assert_int_equal(least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT, target),
			 0);
	least_munmap(&least, target);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(least_poll(&least, fd), TALLY_CORE_POLLHUP);
	must_map(&least, target, 2, NULL);
	assert_int_equal(
		least_ioctl(&least, least.tasks[0], elsewhere, PERF_EVENT_IOC_SET_OUTPUT, target),
		-EINVAL);
	assert_int_equal(
		least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)fd),
		-EINVAL);
	assert_int_equal(least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT, 400),
			 -EBADF);
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

/* A driver hands over more branches than a record can hold: it is lost, and counted as that. */
static void test_too_many_branches(void **state)
{
	static const struct perf_branch_entry branches[5000];
	const struct tally_core_sample_data data = {
		.mode = PERF_RECORD_MISC_USER, .branches = branches, .nr_branches = 5000};
	struct perf_event_attr attr = attr_counter(10);
	struct perf_event_mmap_page *page;
	uint64_t words[2];
	int fd;

	least_test_begin_running(&least);
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	attr.read_format = PERF_FORMAT_LOST;
	fd = must_open(&least, attr, NULL, 0, -1);
	page = must_map(&least, fd, 32, NULL);
	least_count(&least, 0, 10);
	least_overflow(&least, 0, &data);
	assert_int_equal(least_read(&least, fd, words, sizeof(words)), 16);
	assert_true(page->data_head < 65536);
	assert_true(page->data_head || words[1] == 1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_huge_period),
		cmocka_unit_test(test_pinned_in_error),
		cmocka_unit_test(test_nonsense_in_page),
		cmocka_unit_test(test_output_of_unmapped),
		cmocka_unit_test(test_period_of_idle),
		cmocka_unit_test(test_too_many_branches),
		cmocka_unit_test(test_no_tick),
		cmocka_unit_test(test_largest_group),
	};

	return cmocka_run_group_tests_name("core/least_counter", tests, NULL, NULL);
}
