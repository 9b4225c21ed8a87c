/* SPDX-License-Identifier: BSD-2-Clause */
/* Inherited events: clones, the counts of children that exit, and the memory of a child. */
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

/* The child's leader is removed by exec. The other member still counts. */
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

/* Check that every record has this CPU in its sample_id. */
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

/* Return the number of counters in use on this CPU. */
static int counters_taken(void)
{
	int nr = 0;

	for (int i = 0; i < LEAST_COUNTERS; i++)
		nr += least.cpus[least.cpu].counters[i].owner != NULL;
	return nr;
}

/* Two groups of three compete for four counters. No member of the second group is on. */
static void a_child_inherits_groups_as_groups(void **state)
{
	struct perf_event_attr attr = attr_counter(0);

	least_test_begin(&least, 1, NULL);
	attr.inherit = 1;
	for (int i = 0; i < 2; i++) {
		int leader = must_open(&least, attr, least.tasks[0], -1, -1);

		must_open(&least, attr, least.tasks[0], -1, leader);
		must_open(&least, attr, least.tasks[0], -1, leader);
	}
	least_switch(&least, least_fork(&least, least.tasks[0], true));
	assert_int_equal(counters_taken(), 3);
	least_end(&least);
}

static void a_child_inherits_pinned_events(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.inherit = attr.pinned = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	least_switch(&least, least_fork(&least, least.tasks[0], true));
	least_count(&least, 0, 7);
	assert_int_equal(count_of(&least, fd), 7);
	least_end(&least);
}

static void a_switch_between_clones_leaves_the_counters_on(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	struct least_task *clones[3];
	uint64_t stops;

	least_test_begin(&least, 1, NULL);
	attr.inherit = 1;
	must_open(&least, attr, least.tasks[0], -1, -1);
	clones[0] = least_fork(&least, least.tasks[0], true);
	clones[1] = least_fork(&least, least.tasks[0], true);
	clones[2] = least_fork(&least, clones[1], true);
	least_exec(&least, clones[1], false);
	least_switch(&least, clones[0]);
	stops = least.nr_ops[LEAST_OP_STOP];
	least_switch(&least, clones[1]);
	least_switch(&least, clones[2]);
	least_switch(&least, clones[0]);
	assert_int_equal(least.nr_ops[LEAST_OP_STOP], stops);
	least_end(&least);
}

enum { MORE = 5 };

static uint64_t until; /* allocations left until the events are opened; 0: they were opened */
static int more[MORE];
static int32_t cpu_of_first;

static void open_more(void)
{
	struct perf_event_attr attr = attr_faults(0);

	attr.inherit = 1;
	for (int i = 0; i < MORE; i++)
		more[i] = must_open(&least, attr, least.tasks[0], i ? -1 : cpu_of_first, -1);
}

static void open_at_alloc(struct least *where, enum least_point point, const volatile void *what)
{
	if (point == LEAST_AT_ALLOC && until && !--until)
		assert_true(least_overlap(where, open_more));
}

/* Open events at the nth allocation of the fork. Returns false if there were fewer allocations. */
static bool open_during_fork(uint64_t n)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *child;

	least_test_begin(&least, 2, NULL);
	attr.inherit = 1;
	must_open(&least, attr, least.tasks[0], -1, -1);
	until = n;
	least.at = open_at_alloc;
	child = least_fork(&least, least.tasks[0], true);
	least.at = NULL;
	least_switch(&least, child);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	for (int i = 0; i < MORE && !until; i++)
		assert_int_equal(count_of(&least, more[i]), 1);
	least_end(&least);
	return !until;
}

/* First all events count on any CPU, then the first one only on one CPU. */
static void a_child_inherits_events_that_are_opened_while_memory_is_taken(void **state)
{
	for (cpu_of_first = -1; cpu_of_first <= 0; cpu_of_first++) {
		uint64_t n = 1;

		while (open_during_fork(n))
			n++;
		assert_true(n > 2);
	}
}

/* If memory is short, the child inherits nothing, and there is no second attempt. */
static void a_child_without_memory_for_its_events_has_none(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.inherit = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	least.refuse_alloc = 1;
	least_switch(&least, least_fork(&least, least.tasks[0], true));
	assert_int_equal(least.refused, 1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(count_of(&least, fd), 0);
	least_end(&least);
}

static void a_child_writes_no_read_record_that_nobody_asked_for(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct perf_event_mmap_page *page;
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.inherit = 1;
	fd = must_open(&least, attr, least.tasks[0], 1, -1);
	page = must_map(&least, fd, 1, NULL);
	least_exit(&least, least_fork(&least, least.tasks[0], true));
	assert_int_equal(page->data_head, 0);
	least_end(&least);
}

/* The CPU that would write the record is offline. */
static void without_a_ring_no_read_record_is_lost(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	uint64_t words[2];
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.inherit = attr.inherit_stat = 1;
	attr.read_format = PERF_FORMAT_LOST;
	fd = must_open(&least, attr, least.tasks[0], 1, -1);
	least_offline(&least, 1);
	least_exit(&least, least_fork(&least, least.tasks[0], true));
	assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[1], 0);
	least_online(&least, 1);
	least_end(&least);
}

static void a_child_whose_event_is_removed_by_exec_is_no_clone(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *without, *with;
	int fd;

	least_test_begin(&least, 1, NULL);
	attr.inherit = attr.remove_on_exec = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	without = least_fork(&least, least.tasks[0], true);
	with = least_fork(&least, least.tasks[0], true);
	least_exec(&least, without, false);
	least_switch(&least, with);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	least_switch(&least, without);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 10);
	least_switch(&least, with);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 100);
	assert_int_equal(count_of(&least, fd), 101);
	least_end(&least);
}

static struct least_task *clones[3];

/* The forking task is preempted by another clone and continues on another CPU. */
static void clone_moves(void)
{
	least_on(&least, 0);
	least_switch(&least, clones[1]);
	least_on(&least, 1);
	least_switch(&least, clones[0]);
}

static void move_there(struct least *where, enum least_point point, const volatile void *what)
{
	if (until && !--until && !least_overlap_locked(where, clone_moves))
		until = 1;
}

/* Move the task at the nth point of the fork. Returns false if there are fewer points. A later
 * switch between the other tasks must find clones. */
static bool move_during_fork(uint64_t n)
{
	struct perf_event_attr attr = attr_counter(0);
	uint64_t stops;
	bool moved;

	least_test_begin(&least, 2, NULL);
	attr.inherit = 1;
	must_open(&least, attr, least.tasks[0], -1, -1);
	for (int i = 0; i < 3; i++)
		clones[i] = least_fork(&least, least.tasks[0], true);
	least_switch(&least, clones[0]);
	until = n;
	least.at = move_there;
	least_fork(&least, clones[0], true);
	least.at = NULL;
	moved = !until;
	least_on(&least, 0);
	least_switch(&least, clones[moved ? 1 : 0]);
	stops = least.nr_ops[LEAST_OP_STOP];
	least_switch(&least, clones[2]);
	assert_int_equal(least.nr_ops[LEAST_OP_STOP], stops);
	least_end(&least);
	return moved;
}

static void a_clone_that_forks_and_moves_meanwhile_leaves_clones(void **state)
{
	uint64_t n = 1;

	while (move_during_fork(n))
		n++;
	assert_true(n > 10);
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
		cmocka_unit_test(a_child_inherits_groups_as_groups),
		cmocka_unit_test(a_child_inherits_pinned_events),
		cmocka_unit_test(a_switch_between_clones_leaves_the_counters_on),
		cmocka_unit_test(a_child_inherits_events_that_are_opened_while_memory_is_taken),
		cmocka_unit_test(a_child_without_memory_for_its_events_has_none),
		cmocka_unit_test(a_child_writes_no_read_record_that_nobody_asked_for),
		cmocka_unit_test(without_a_ring_no_read_record_is_lost),
		cmocka_unit_test(a_child_whose_event_is_removed_by_exec_is_no_clone),
		cmocka_unit_test(a_clone_that_forks_and_moves_meanwhile_leaves_clones),
	};

	return cmocka_run_group_tests_name("core/least_inherit", tests, NULL, NULL);
}
