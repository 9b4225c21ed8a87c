/* SPDX-License-Identifier: BSD-2-Clause */
/* Inherited events: clones, the counts of exiting children, and memory allocated for children. */
#include "core/mini_test.h"

static struct mini mini;

static void a_task_that_disabled_its_events_is_not_switched_as_a_clone(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *quiet, *loud;
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.inherit = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	quiet = mini_fork(&mini, mini.tasks[0], true);
	loud = mini_fork(&mini, mini.tasks[0], true);
	mini_switch(&mini, quiet);
	assert_int_equal(
		tally_core_prctl_attached(mini.core, &quiet->perf, TALLY_CORE_PRCTL_DISABLE), 0);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	mini_switch(&mini, loud);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 100);
	mini_switch(&mini, quiet);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 7);
	assert_int_equal(count_of(&mini, fd), 100);
	mini_end(&mini);
}

static void reset_clears_the_counts_of_exited_children(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *child;
	int fd;

	mini_test_begin_running(&mini);
	attr.inherit = 1;
	fd = must_open(&mini, attr, mini.tasks[1], -1, -1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 3);
	child = mini_fork(&mini, mini.tasks[1], true);
	mini_switch(&mini, child);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 4);
	mini_exit(&mini, child);
	assert_int_equal(value_of(&mini, fd), 7);
	mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_RESET, 0);
	assert_int_equal(value_of(&mini, fd), 0);
	mini_end(&mini);
}

static void an_exiting_child_frees_what_it_allocated(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *child;
	uint64_t before;
	int fd;

	mini_test_begin_running(&mini);
	attr.inherit = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	must_open(&mini, attr, mini.tasks[0], -1, fd);
	must_open(&mini, attr, mini.tasks[0], -1, fd);
	before = mini.bytes;
	child = mini_fork(&mini, mini.tasks[0], true);
	assert_true(mini.bytes > before);
	mini_exit(&mini, child);
	assert_int_equal(mini.bytes, before);
	mini_end(&mini);
}

static void an_exiting_child_adds_its_count_and_keeps_its_deferred_wakeup(void **state)
{
	struct perf_event_attr attr = attr_faults(1);
	struct mini_task *child;
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = 1;
	attr.wakeup_events = 1;
	fd = must_open(&mini, attr, mini.tasks[0], 1, -1);
	must_map(&mini, fd, 8, NULL);
	child = mini_fork(&mini, mini.tasks[0], true);
	mini.hold_deferred = true;
	mini_on(&mini, 1);
	mini_switch(&mini, child);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 5);
	mini_exit(&mini, child);
	mini_deferred(&mini);
	assert_int_equal(value_of(&mini, fd), 5);
	assert_true(mini.files[fd].notices > 0);
	mini_end(&mini);
}

/* The child's leader is removed by exec. The other member still counts. */
static void a_childs_group_without_its_leader_is_read(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	uint64_t words[3] = {0};
	struct mini_task *child;
	int leader;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	attr.remove_on_exec = 1;
	leader = must_open(&mini, attr, mini.tasks[0], -1, -1);
	attr.remove_on_exec = 0;
	must_open(&mini, attr, mini.tasks[0], -1, leader);
	child = mini_fork(&mini, mini.tasks[0], true);
	mini_on(&mini, 1);
	mini_switch(&mini, child);
	mini_exec(&mini, child, false);
	mini_count(&mini, 0, 7);
	mini_count(&mini, 1, 7);
	mini_on(&mini, 0);
	assert_int_equal(mini_read(&mini, leader, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[0], 2);
	assert_int_equal(words[1], 0);
	assert_int_equal(words[2], 7);
	mini_end(&mini);
}

/* Check that the sample_id of every record contains `cpu`. */
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
	struct mini_task *child;
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = attr.inherit_stat = attr.sample_id_all = attr.comm = 1;
	attr.sample_type |= PERF_SAMPLE_CPU;
	mini_switch(&mini, mini.tasks[0]);
	fd = must_open(&mini, attr, mini.tasks[0], 1, -1);
	must_map(&mini, fd, 8, &buffer);
	child = mini_fork(&mini, mini.tasks[0], true);
	mini_switch(&mini, child);
	mini_exit(&mini, child);
	check_cpus(buffer, 1);
	mini_end(&mini);
}

/* The child runs on another CPU. */
static void a_task_that_reads_its_own_event_gets_what_its_child_counts(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	struct mini_task *child;
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = 1;
	mini_switch(&mini, mini.tasks[0]);
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	child = mini_fork(&mini, mini.tasks[0], true);
	mini_on(&mini, 1);
	mini_switch(&mini, child);
	mini_count(&mini, 0, 7);
	mini_on(&mini, 0);
	mini_count(&mini, 0, 3);
	assert_int_equal(count_of(&mini, fd), 10);
	mini_end(&mini);
}

/* Return the number of counters in use on this CPU. */
static int counters_taken(void)
{
	int nr = 0;

	for (int i = 0; i < MINI_COUNTERS; i++)
		nr += mini.cpus[mini.cpu].counters[i].owner != NULL;
	return nr;
}

/* Two groups of three events compete for four counters, so no member of the second group gets a
 * counter. */
static void a_child_inherits_groups_as_groups(void **state)
{
	struct perf_event_attr attr = attr_counter(0);

	mini_test_begin(&mini, 1, NULL);
	attr.inherit = 1;
	for (int i = 0; i < 2; i++) {
		int leader = must_open(&mini, attr, mini.tasks[0], -1, -1);

		must_open(&mini, attr, mini.tasks[0], -1, leader);
		must_open(&mini, attr, mini.tasks[0], -1, leader);
	}
	mini_switch(&mini, mini_fork(&mini, mini.tasks[0], true));
	assert_int_equal(counters_taken(), 3);
	mini_end(&mini);
}

static void a_child_inherits_pinned_events(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.inherit = attr.pinned = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	mini_switch(&mini, mini_fork(&mini, mini.tasks[0], true));
	mini_count(&mini, 0, 7);
	assert_int_equal(count_of(&mini, fd), 7);
	mini_end(&mini);
}

static void a_switch_between_clones_leaves_the_counters_on(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	struct mini_task *clones[3];
	uint64_t stops;

	mini_test_begin(&mini, 1, NULL);
	attr.inherit = 1;
	must_open(&mini, attr, mini.tasks[0], -1, -1);
	clones[0] = mini_fork(&mini, mini.tasks[0], true);
	clones[1] = mini_fork(&mini, mini.tasks[0], true);
	clones[2] = mini_fork(&mini, clones[1], true);
	mini_exec(&mini, clones[1], false);
	mini_switch(&mini, clones[0]);
	stops = mini.nr_ops[MINI_OP_STOP];
	mini_switch(&mini, clones[1]);
	mini_switch(&mini, clones[2]);
	mini_switch(&mini, clones[0]);
	assert_int_equal(mini.nr_ops[MINI_OP_STOP], stops);
	mini_end(&mini);
}

enum { MORE = 5 };

static uint64_t until; /* allocations left until the events are opened; 0 when they are open */
static int more[MORE];
static int32_t cpu_of_first;

static void open_more(void)
{
	struct perf_event_attr attr = attr_faults(0);

	attr.inherit = 1;
	for (int i = 0; i < MORE; i++)
		more[i] = must_open(&mini, attr, mini.tasks[0], i ? -1 : cpu_of_first, -1);
}

static void open_at_alloc(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point == MINI_AT_ALLOC && until && !--until)
		assert_true(mini_overlap(where, open_more));
}

/* Open events at the nth allocation of a fork. Returns false if the fork made fewer allocations. */
static bool open_during_fork(uint64_t n)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *child;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = 1;
	must_open(&mini, attr, mini.tasks[0], -1, -1);
	until = n;
	mini.at = open_at_alloc;
	child = mini_fork(&mini, mini.tasks[0], true);
	mini.at = NULL;
	mini_switch(&mini, child);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	for (int i = 0; i < MORE && !until; i++)
		assert_int_equal(count_of(&mini, more[i]), 1);
	mini_end(&mini);
	return !until;
}

/* In the first round all events count on any CPU. In the second round the first event is limited to
 * one CPU. */
static void a_child_inherits_events_that_are_opened_while_memory_is_taken(void **state)
{
	for (cpu_of_first = -1; cpu_of_first <= 0; cpu_of_first++) {
		uint64_t n = 1;

		while (open_during_fork(n))
			n++;
		assert_true(n > 2);
	}
}

/* If the fork runs out of memory, the child inherits nothing, and there is no second attempt. */
static void a_child_without_memory_for_its_events_has_none(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.inherit = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	mini.refuse_alloc = 1;
	mini_switch(&mini, mini_fork(&mini, mini.tasks[0], true));
	assert_int_equal(mini.refused, 1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(count_of(&mini, fd), 0);
	mini_end(&mini);
}

static void a_child_writes_no_unrequested_read_record(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct perf_event_mmap_page *page;
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = 1;
	fd = must_open(&mini, attr, mini.tasks[0], 1, -1);
	page = must_map(&mini, fd, 1, NULL);
	mini_exit(&mini, mini_fork(&mini, mini.tasks[0], true));
	assert_int_equal(page->data_head, 0);
	mini_end(&mini);
}

/* The CPU that should write the record is offline. */
static void without_a_ring_no_read_record_is_lost(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	uint64_t words[2];
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = attr.inherit_stat = 1;
	attr.read_format = PERF_FORMAT_LOST;
	fd = must_open(&mini, attr, mini.tasks[0], 1, -1);
	mini_offline(&mini, 1);
	mini_exit(&mini, mini_fork(&mini, mini.tasks[0], true));
	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
	assert_int_equal(words[1], 0);
	mini_online(&mini, 1);
	mini_end(&mini);
}

static void a_child_whose_event_is_removed_by_exec_is_not_a_clone(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *without, *with;
	int fd;

	mini_test_begin(&mini, 1, NULL);
	attr.inherit = attr.remove_on_exec = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	without = mini_fork(&mini, mini.tasks[0], true);
	with = mini_fork(&mini, mini.tasks[0], true);
	mini_exec(&mini, without, false);
	mini_switch(&mini, with);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	mini_switch(&mini, without);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 10);
	mini_switch(&mini, with);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 100);
	assert_int_equal(count_of(&mini, fd), 101);
	mini_end(&mini);
}

static struct mini_task *clones[3];

/* The forking task is preempted by another clone and continues on another CPU. */
static void clone_moves(void)
{
	mini_on(&mini, 0);
	mini_switch(&mini, clones[1]);
	mini_on(&mini, 1);
	mini_switch(&mini, clones[0]);
}

static void move_there(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (until && !--until && !mini_overlap_locked(where, clone_moves))
		until = 1;
}

/* Move the task at the nth point of the fork. Returns false if there are fewer points. Later
 * switches between the other tasks must still treat them as clones. */
static bool move_during_fork(uint64_t n)
{
	struct perf_event_attr attr = attr_counter(0);
	uint64_t stops;
	bool moved;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = 1;
	must_open(&mini, attr, mini.tasks[0], -1, -1);
	for (int i = 0; i < 3; i++)
		clones[i] = mini_fork(&mini, mini.tasks[0], true);
	mini_switch(&mini, clones[0]);
	until = n;
	mini.at = move_there;
	mini_fork(&mini, clones[0], true);
	mini.at = NULL;
	moved = !until;
	mini_on(&mini, 0);
	mini_switch(&mini, clones[moved ? 1 : 0]);
	stops = mini.nr_ops[MINI_OP_STOP];
	mini_switch(&mini, clones[2]);
	assert_int_equal(mini.nr_ops[MINI_OP_STOP], stops);
	mini_end(&mini);
	return moved;
}

static void a_fork_during_a_migration_keeps_other_tasks_clones(void **state)
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
		cmocka_unit_test(a_child_writes_no_unrequested_read_record),
		cmocka_unit_test(without_a_ring_no_read_record_is_lost),
		cmocka_unit_test(a_child_whose_event_is_removed_by_exec_is_not_a_clone),
		cmocka_unit_test(a_fork_during_a_migration_keeps_other_tasks_clones),
	};

	return cmocka_run_group_tests_name("core/minimal_inherit", tests, NULL, NULL);
}
