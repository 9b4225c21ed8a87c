/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits on the impact of an event: how long a hook keeps interrupts off, and which CPUs write to a
 * ring. */
#include "core/least_test.h"

static struct least least;

static int open_by(struct perf_event_attr attr, struct least_task *task, int32_t pid, int32_t cpu)
{
	attr.size = sizeof(attr);
	return least_open(&least, task, &attr, sizeof(attr), pid, cpu, -1, 0);
}

static struct perf_event_mmap_page *make_ring(int fd)
{
	struct tally_core_buffer *buffer;

	assert_true(fd >= 0);
	assert_int_equal(least_mmap(&least, least.tasks[0], fd, 65 * 4096, false, &buffer), 0);
	return tally_core_buffer_page(buffer, 0);
}

/* ---- hooks ------------------------------------------------------------------------------- */

static struct perf_event_attr attr_periods(uint64_t period)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = period,
					.sample_type = PERF_SAMPLE_PERIOD};
}

enum { SAMPLE = 16 };

static void a_hook_of_many_events_samples_as_often_as_refresh_allows(void **state)
{
	for (uint64_t allowed = 1; allowed < 6; allowed++) {
		struct perf_event_attr attr = attr_periods(1);
		struct perf_event_mmap_page *page;
		int fd;

		least_begin(&least, 1, NULL);
		attr.disabled = 1;
		fd = open_by(attr, least.tasks[0], -1, 0);
		page = make_ring(fd);
		assert_int_equal(
			least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_REFRESH, allowed),
			0);
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 10);
		assert_int_equal(page->data_head, allowed * SAMPLE);
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 10);
		assert_int_equal(page->data_head, allowed * SAMPLE);
		least_end(&least);
	}
}

static void refresh_limits_one_hook_and_many_hooks(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	const struct perf_event_mmap_page *page;
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.disabled = 1;
	fd = must_open(&least, attr, NULL, 0, -1);
	page = must_map(&least, fd, 8, NULL);
	least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_REFRESH, 1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 10);
	assert_int_equal(page->data_head, 16);
	least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_REFRESH, 3);
	for (int i = 0; i < 10; i++)
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, 16 + 3 * 16);
	least_end(&least);
}

static uint64_t operations;

static void count_operation(struct least *host, enum least_point point, const volatile void *what)
{
	operations += point == LEAST_AT_ATOMIC;
}

/* Return the number of operations of a hook with `nr` events of period `period`. Also check that
 * the next sample is not delayed. */
static uint64_t operations_of(uint64_t nr, uint64_t period)
{
	struct perf_event_mmap_page *page;
	uint64_t head, left = period - nr % period;

	least_begin(&least, 1, NULL);
	page = make_ring(open_by(attr_periods(period), least.tasks[0], -1, 0));
	operations = 0;
	least.at = count_operation;
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, nr);
	least.at = NULL;
	assert_true(page->data_head > 0);
	least_tick(&least);
	head = page->data_head;
	if (left > 1)
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, left - 1);
	assert_int_equal(page->data_head, head);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, head + SAMPLE);
	least_end(&least);
	return operations;
}

static void a_hook_of_more_events_takes_no_more_operations(void **state)
{
	for (uint64_t period = 1; period < 8; period += 3) {
		uint64_t some = operations_of(1000000, period);

		assert_int_equal(operations_of(UINT64_C(1000000000000), period), some);
	}
}

/* Hooks run with interrupts off. */
static void the_operations_of_a_hook_are_bounded(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	int fd;

	least_test_begin(&least, 1, NULL);
	fd = must_open(&least, attr, NULL, 0, -1);
	must_map(&least, fd, 8, NULL);
	least.at = count_operation;
	operations = 0;
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1000000);
	assert_in_range(operations, 1, 20000);
	least_end(&least);
}

/* ---- rings ------------------------------------------------------------------------------- */

/* A mapping of the metadata page alone has no space for records. */
static void one_hook_loses_no_records_without_data_pages(void **state)
{
	struct perf_event_attr attr = attr_periods(1);
	uint64_t words[2];
	int fd;

	attr.read_format = PERF_FORMAT_LOST;
	least_begin(&least, 1, NULL);
	fd = open_by(attr, least.tasks[0], -1, 0);
	assert_int_equal(least_mmap(&least, least.tasks[0], fd, 4096, true, NULL), 0);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 5);
	assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], 5);
	assert_int_equal(words[1], 0);
	least_end(&least);
}

static void many_hooks_lose_no_records_without_data_pages(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	uint64_t words[2];
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.read_format = PERF_FORMAT_LOST;
	fd = must_open(&least, attr, NULL, 0, -1);
	must_map(&least, fd, 0, NULL);
	for (int i = 0; i < 5; i++)
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], 5);
	assert_int_equal(words[1], 0);
	least_end(&least);
}

/* Children of such an event may run on any CPU, but a ring has a single writer. */
static void an_inherited_event_of_all_cpus_has_no_ring(void **state)
{
	struct perf_event_attr attr = attr_periods(1);
	int target, inherited;

	least_begin(&least, 2, NULL);
	target = open_by(attr, least.tasks[0], 0, -1);
	make_ring(target);
	attr.inherit = 1;
	inherited = open_by(attr, least.tasks[0], 0, -1);
	assert_int_equal(least_ioctl(&least, least.tasks[0], inherited, PERF_EVENT_IOC_SET_OUTPUT,
				     (uintptr_t)target),
			 -EINVAL);
	assert_string_equal(least.why.field, "inherit");
	assert_int_equal(least_mmap(&least, least.tasks[0], inherited, 4096, true, NULL), -EINVAL);
	least_end(&least);
}

static void output_of_an_inherited_event_of_all_cpus_is_refused(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	int target, fd;

	least_test_begin(&least, 2, NULL);
	target = must_open(&least, attr, least.tasks[0], -1, -1);
	attr.inherit = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	must_map(&least, target, 8, NULL);
	assert_int_equal(least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT,
				     (uintptr_t)target),
			 -EINVAL);
	assert_true(least_open(&least, least.tasks[0], &attr, sizeof(attr),
			       least.tasks[0]->perf.tid, -1, target,
			       PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP) < 0);
	least_end(&least);
}

/* The child exits on another CPU. The record contains the child's IDs. */
static void the_cpu_of_the_event_writes_the_read_record_of_a_child(void **state)
{
	struct perf_event_attr attr = attr_periods(1000);
	struct perf_event_mmap_page *page;
	struct least_task *child;
	struct {
		struct perf_event_header header;
		int32_t pid, tid;
		uint64_t value;
		int32_t by_pid, by_tid;
		uint32_t cpu, reserved;
	} record;
	int32_t tid;

	attr.inherit = attr.inherit_stat = attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_CPU | PERF_SAMPLE_TID;
	least_begin(&least, 2, NULL);
	page = make_ring(open_by(attr, least.tasks[0], 0, 1));
	child = least_fork(&least, least.tasks[0], true);
	tid = child->perf.tid;
	least_on(&least, 1);
	least_switch(&least, child);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 7);
	least_switch(&least, NULL);
	least_on(&least, 0);
	least_switch(&least, child);
	least_exit(&least, child);
	assert_int_equal(page->data_head, sizeof(record));
	memcpy(&record, tally_core_buffer_page(least.files[0].mappings[0], 1), sizeof(record));
	assert_int_equal(record.header.type, PERF_RECORD_READ);
	assert_int_equal(record.tid, tid);
	assert_int_equal(record.value, 7);
	assert_int_equal(record.by_tid, tid);
	assert_int_equal(record.cpu, 1);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hook_of_many_events_samples_as_often_as_refresh_allows),
		cmocka_unit_test(refresh_limits_one_hook_and_many_hooks),
		cmocka_unit_test(a_hook_of_more_events_takes_no_more_operations),
		cmocka_unit_test(the_operations_of_a_hook_are_bounded),
		cmocka_unit_test(one_hook_loses_no_records_without_data_pages),
		cmocka_unit_test(many_hooks_lose_no_records_without_data_pages),
		cmocka_unit_test(an_inherited_event_of_all_cpus_has_no_ring),
		cmocka_unit_test(output_of_an_inherited_event_of_all_cpus_is_refused),
		cmocka_unit_test(the_cpu_of_the_event_writes_the_read_record_of_a_child),
	};

	return cmocka_run_group_tests_name("core/bounds", tests, NULL, NULL);
}
