/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits on the impact of an event: how long a hook keeps interrupts off, and which CPUs write to a
 * ring. */
#include "core/mini_test.h"

static struct mini mini;

static int open_by(struct perf_event_attr attr, struct mini_task *task, int32_t pid, int32_t cpu)
{
	attr.size = sizeof(attr);
	return mini_open(&mini, task, &attr, sizeof(attr), pid, cpu, -1, 0);
}

static struct perf_event_mmap_page *make_ring(int fd)
{
	struct tally_core_buffer *buffer;

	assert_true(fd >= 0);
	assert_int_equal(mini_mmap(&mini, mini.tasks[0], fd, 65 * 4096, false, &buffer), 0);
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

		mini_begin(&mini, 1, NULL);
		attr.disabled = 1;
		fd = open_by(attr, mini.tasks[0], -1, 0);
		page = make_ring(fd);
		assert_int_equal(
			mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_REFRESH, allowed), 0);
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 10);
		assert_int_equal(page->data_head, allowed * SAMPLE);
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 10);
		assert_int_equal(page->data_head, allowed * SAMPLE);
		mini_end(&mini);
	}
}

static void refresh_limits_one_hook_and_many_hooks(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	const struct perf_event_mmap_page *page;
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.disabled = 1;
	fd = must_open(&mini, attr, NULL, 0, -1);
	page = must_map(&mini, fd, 8, NULL);
	mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_REFRESH, 1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 10);
	assert_int_equal(page->data_head, 16);
	mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_REFRESH, 3);
	for (int i = 0; i < 10; i++)
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, 16 + 3 * 16);
	mini_end(&mini);
}

static uint64_t operations;

static void count_operation(struct mini *host, enum mini_point point, const volatile void *what)
{
	operations += point == MINI_AT_ATOMIC;
}

/* Return the number of atomic operations that a hook performs when it reports `nr` software events
 * at once to an event with the given sampling period. Also check that the next sample is not
 * delayed. */
static uint64_t operations_of(uint64_t nr, uint64_t period)
{
	struct perf_event_mmap_page *page;
	uint64_t head, left = period - nr % period;

	mini_begin(&mini, 1, NULL);
	page = make_ring(open_by(attr_periods(period), mini.tasks[0], -1, 0));
	operations = 0;
	mini.at = count_operation;
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, nr);
	mini.at = NULL;
	assert_true(page->data_head > 0);
	mini_tick(&mini);
	head = page->data_head;
	if (left > 1)
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, left - 1);
	assert_int_equal(page->data_head, head);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(page->data_head, head + SAMPLE);
	mini_end(&mini);
	return operations;
}

static void a_hook_of_more_events_takes_no_more_operations(void **state)
{
	for (uint64_t period = 1; period < 8; period += 3) {
		uint64_t some = operations_of(1000000, period);

		assert_int_equal(operations_of(UINT64_C(1000000000000), period), some);
	}
}

/* Hooks run with interrupts off, so their duration must be bounded. */
static void the_operations_of_a_hook_are_bounded(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	int fd;

	mini_test_begin(&mini, 1, NULL);
	fd = must_open(&mini, attr, NULL, 0, -1);
	must_map(&mini, fd, 8, NULL);
	mini.at = count_operation;
	operations = 0;
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1000000);
	assert_in_range(operations, 1, 20000);
	mini_end(&mini);
}

/* ---- rings ------------------------------------------------------------------------------- */

/* A mapping of the metadata page alone has no space for records. */
static void one_hook_loses_no_records_without_data_pages(void **state)
{
	struct perf_event_attr attr = attr_periods(1);
	uint64_t words[2];
	int fd;

	attr.read_format = PERF_FORMAT_LOST;
	mini_begin(&mini, 1, NULL);
	fd = open_by(attr, mini.tasks[0], -1, 0);
	assert_int_equal(mini_mmap(&mini, mini.tasks[0], fd, 4096, true, NULL), 0);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 5);
	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], 5);
	assert_int_equal(words[1], 0);
	mini_end(&mini);
}

static void many_hooks_lose_no_records_without_data_pages(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	uint64_t words[2];
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.read_format = PERF_FORMAT_LOST;
	fd = must_open(&mini, attr, NULL, 0, -1);
	must_map(&mini, fd, 0, NULL);
	for (int i = 0; i < 5; i++)
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], 5);
	assert_int_equal(words[1], 0);
	mini_end(&mini);
}

/* Children that inherit the event may run on any CPU, but a ring can only have a single writer. */
static void an_inherited_event_of_all_cpus_has_no_ring(void **state)
{
	struct perf_event_attr attr = attr_periods(1);
	int target, inherited;

	mini_begin(&mini, 2, NULL);
	target = open_by(attr, mini.tasks[0], 0, -1);
	make_ring(target);
	attr.inherit = 1;
	inherited = open_by(attr, mini.tasks[0], 0, -1);
	assert_int_equal(mini_ioctl(&mini, mini.tasks[0], inherited, PERF_EVENT_IOC_SET_OUTPUT,
				    (uintptr_t)target),
			 -EINVAL);
	assert_string_equal(mini.why.field, "inherit");
	assert_int_equal(mini_mmap(&mini, mini.tasks[0], inherited, 4096, true, NULL), -EINVAL);
	mini_end(&mini);
}

static void output_of_an_inherited_event_of_all_cpus_is_refused(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	int target, fd;

	mini_test_begin(&mini, 2, NULL);
	target = must_open(&mini, attr, mini.tasks[0], -1, -1);
	attr.inherit = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	must_map(&mini, target, 8, NULL);
	assert_int_equal(
		mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)target),
		-EINVAL);
	assert_true(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), mini.tasks[0]->perf.tid,
			      -1, target, PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP) < 0);
	mini_end(&mini);
}

/* The child exits on another CPU. The record contains the child's IDs. */
static void the_cpu_of_the_event_writes_the_read_record_of_a_child(void **state)
{
	struct perf_event_attr attr = attr_periods(1000);
	struct perf_event_mmap_page *page;
	struct mini_task *child;
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
	mini_begin(&mini, 2, NULL);
	page = make_ring(open_by(attr, mini.tasks[0], 0, 1));
	child = mini_fork(&mini, mini.tasks[0], true);
	tid = child->perf.tid;
	mini_on(&mini, 1);
	mini_switch(&mini, child);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 7);
	mini_switch(&mini, NULL);
	mini_on(&mini, 0);
	mini_switch(&mini, child);
	mini_exit(&mini, child);
	assert_int_equal(page->data_head, sizeof(record));
	memcpy(&record, tally_core_buffer_page(mini.files[0].mappings[0], 1), sizeof(record));
	assert_int_equal(record.header.type, PERF_RECORD_READ);
	assert_int_equal(record.tid, tid);
	assert_int_equal(record.value, 7);
	assert_int_equal(record.by_tid, tid);
	assert_int_equal(record.cpu, 1);
	mini_end(&mini);
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
