/* SPDX-License-Identifier: BSD-2-Clause */
/* Inherited events: clones, the counts of children that end, and what a child holds. */
#include "core/least_test.h"

static struct least least;

static void a_task_that_disabled_its_events_is_not_switched_as_a_clone(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *quiet, *loud;
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.inherit = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	quiet = least_fork(&least, least.tasks[0], true);
	loud = least_fork(&least, least.tasks[0], true);
	least_switch(&least, quiet);
	assert_int_equal(
		tally_core_prctl_attached(least.core, &quiet->perf, TALLY_CORE_PRCTL_DISABLE), 0);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	least_switch(&least, loud);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 100);
	least_switch(&least, quiet);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 7);
	assert_int_equal(count_of(&least, fd), 100);
	least_end(&least);
}

static void reset_clears_the_counts_of_exited_children(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *child;
	int fd;

	least_test_begin_running(&least);
	attr.inherit = 1;
	fd = must_open(&least, attr, least.tasks[1], -1, -1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 3);
	child = least_fork(&least, least.tasks[1], true);
	least_switch(&least, child);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 4);
	least_exit(&least, child);
	assert_int_equal(value_of(&least, fd), 7);
	least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_RESET, 0);
	assert_int_equal(value_of(&least, fd), 0);
	least_end(&least);
}

static void an_exiting_child_frees_what_it_allocated(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *child;
	uint64_t before;
	int fd;

	least_test_begin_running(&least);
	attr.inherit = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	must_open(&least, attr, least.tasks[0], -1, fd);
	must_open(&least, attr, least.tasks[0], -1, fd);
	before = least.bytes;
	child = least_fork(&least, least.tasks[0], true);
	assert_true(least.bytes > before);
	least_exit(&least, child);
	assert_int_equal(least.bytes, before);
	least_end(&least);
}

static void an_exiting_child_adds_its_count_and_keeps_its_deferred_wakeup(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	struct least_task *child;
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.inherit = 1;
	attr.wakeup_events = 1;
	fd = must_open(&least, attr, least.tasks[0], 1, -1);
	must_map(&least, fd, 8, NULL);
	child = least_fork(&least, least.tasks[0], true);
	least.hold_deferred = true;
	least_on(&least, 1);
	least_switch(&least, child);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 5);
	least_exit(&least, child);
	least_deferred(&least);
	assert_int_equal(value_of(&least, fd), 5);
	assert_true(least.files[fd].notices > 0);
	least_end(&least);
}

/* The leader of the child is removed on exec. The other member still counts. */
static void a_childs_group_without_its_leader_is_read(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	uint64_t words[3] = {0};
	struct least_task *child;
	int leader;

	least_test_begin(&least, 2, NULL);
	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	attr.remove_on_exec = 1;
	leader = must_open(&least, attr, least.tasks[0], -1, -1);
	attr.remove_on_exec = 0;
	must_open(&least, attr, least.tasks[0], -1, leader);
	child = least_fork(&least, least.tasks[0], true);
	least_on(&least, 1);
	least_switch(&least, child);
	least_exec(&least, child, false);
	least_count(&least, 0, 7);
	least_count(&least, 1, 7);
	least_on(&least, 0);
	assert_int_equal(least_read(&least, leader, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], 2);
	assert_int_equal(words[1], 0);
	assert_int_equal(words[2], 7);
	least_end(&least);
}

/* Every record has this CPU in its sample ID. */
static void check_cpus(struct tally_core_buffer *buffer, uint32_t cpu)
{
	const struct perf_event_mmap_page *page = tally_core_buffer_page(buffer, 0);
	const uint8_t *data = tally_core_buffer_page(buffer, 1);

	for (uint64_t at = 0; at < page->data_head;) {
		struct perf_event_header header;
		uint32_t where;

		memcpy(&header, data + at, sizeof(header));
		memcpy(&where, data + at + header.size - 8, sizeof(where));
		assert_int_equal(where, cpu);
		at += header.size;
	}
}

static void the_cpu_of_the_event_writes_the_records_of_a_child(void **state)
{
	struct perf_event_attr attr = attr_faults(1000);
	struct tally_core_buffer *buffer;
	struct least_task *child;
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.inherit = attr.inherit_stat = attr.sample_id_all = attr.comm = 1;
	attr.sample_type |= PERF_SAMPLE_CPU;
	least_switch(&least, least.tasks[0]);
	fd = must_open(&least, attr, least.tasks[0], 1, -1);
	must_map(&least, fd, 8, &buffer);
	child = least_fork(&least, least.tasks[0], true);
	least_switch(&least, child);
	least_exit(&least, child);
	check_cpus(buffer, 1);
	least_end(&least);
}

/* The child runs on another CPU. */
static void a_task_that_reads_its_own_event_gets_what_its_child_counts(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	struct least_task *child;
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.inherit = 1;
	least_switch(&least, least.tasks[0]);
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	child = least_fork(&least, least.tasks[0], true);
	least_on(&least, 1);
	least_switch(&least, child);
	least_count(&least, 0, 7);
	least_on(&least, 0);
	least_count(&least, 0, 3);
	assert_int_equal(count_of(&least, fd), 10);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_that_disabled_its_events_is_not_switched_as_a_clone),
		cmocka_unit_test(reset_clears_the_counts_of_exited_children),
		cmocka_unit_test(an_exiting_child_frees_what_it_allocated),
		cmocka_unit_test(an_exiting_child_adds_its_count_and_keeps_its_deferred_wakeup),
		cmocka_unit_test(a_childs_group_without_its_leader_is_read),
		cmocka_unit_test(the_cpu_of_the_event_writes_the_records_of_a_child),
		cmocka_unit_test(a_task_that_reads_its_own_event_gets_what_its_child_counts),
	};

	return cmocka_run_group_tests_name("core/least_inherit", tests, NULL, NULL);
}
