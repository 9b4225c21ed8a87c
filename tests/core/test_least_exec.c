/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that exec enables or removes. */
#include "core/least_test.h"

static struct least least;

enum { COUNTERS = 4 };

/* Members are not added again for every member of the group. */
static void exec_adds_each_member_of_a_group_once(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int fds[COUNTERS];

	least_test_begin(&least, 1, NULL);
	attr.disabled = attr.enable_on_exec = 1;
	for (int i = 0; i < COUNTERS; i++)
		fds[i] = must_open(&least, attr, least.tasks[0], -1, i ? fds[0] : -1);
	least_switch(&least, least.tasks[0]);
	least.nr_ops[LEAST_OP_ADD] = 0;
	least_exec(&least, least.tasks[0], false);
	assert_int_equal(least.nr_ops[LEAST_OP_ADD], COUNTERS);
	for (int i = 0; i < COUNTERS; i++)
		least_count(&least, (uint32_t)i, 7);
	for (int i = 0; i < COUNTERS; i++)
		assert_int_equal(value_of(&least, fds[i]), 7);
	/* enable_on_exec works once. */
	least_ioctl(&least, least.tasks[0], fds[0], PERF_EVENT_IOC_DISABLE, 0);
	least_exec(&least, least.tasks[0], false);
	least_count(&least, 0, 7);
	assert_int_equal(value_of(&least, fds[0]), 7);
	least_end(&least);
}

/* Other events occupy all counters. They lose the counters, but keep their counts. */
static void exec_finds_counters_for_pinned_events(void **state)
{
	struct perf_event_attr attr = attr_counter(0), pinned = attr;
	int others[COUNTERS], fds[COUNTERS];
	uint64_t sum = 0;

	least_test_begin(&least, 1, NULL);
	pinned.disabled = pinned.enable_on_exec = pinned.pinned = 1;
	for (int i = 0; i < COUNTERS; i++) {
		others[i] =
			must_open(&least, attr, i & 1 ? NULL : least.tasks[0], i & 1 ? 0 : -1, -1);
		fds[i] = must_open(&least, pinned, least.tasks[0], -1, -1);
	}
	least_switch(&least, least.tasks[0]);
	for (int i = 0; i < COUNTERS; i++)
		least_count(&least, (uint32_t)i, 5);
	least_exec(&least, least.tasks[0], false);
	for (int i = 0; i < COUNTERS; i++)
		least_count(&least, (uint32_t)i, 7);
	for (int i = 0; i < COUNTERS; i++) {
		assert_int_equal(value_of(&least, fds[i]), 7);
		sum += value_of(&least, others[i]);
	}
	assert_int_equal(sum, COUNTERS * 5);
	least_end(&least);
}

static int opened;

static void open_on_task(void)
{
	opened = must_open(&least, attr_counter(0), least.tasks[1], -1, -1);
}

/* The task has been detached from its context, which is still on the CPU. */
static void open_at_call(struct least *where, enum least_point point, const volatile void *what)
{
	if (point == LEAST_AT_CALL && opened < 0 && !where->tasks[1]->perf.context)
		assert_true(least_overlap_locked(where, open_on_task));
}

static void an_event_that_is_opened_during_a_privileged_exec_counts_at_once(void **state)
{
	least_test_begin_running(&least);
	must_open(&least, attr_counter(0), least.tasks[1], -1, -1);
	opened = -1;
	least.at = open_at_call;
	least_exec(&least, least.tasks[1], true);
	least.at = NULL;
	assert_true(opened >= 0);
	least_count(&least, 0, 7);
	assert_int_equal(count_of(&least, opened), 7);
	least_end(&least);
}

/* The events of the task occupied all counters while an event of the CPU waited for one. */
static void a_privileged_exec_leaves_its_counters_to_those_that_wait(void **state)
{
	int fd;

	least_test_begin_running(&least);
	for (int i = 0; i < COUNTERS; i++)
		must_open(&least, attr_counter(0), least.tasks[1], -1, -1);
	fd = must_open(&least, attr_counter(0), NULL, 0, -1);
	least_exec(&least, least.tasks[1], true);
	least_count(&least, 0, 7);
	assert_int_equal(count_of(&least, fd), 7);
	least_end(&least);
}

/* Only the leader is removed. A read of it returns one value, and so does a read of the member. */
static void a_leader_that_is_removed_by_exec_is_read_alone(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	uint64_t words[3] = {0};
	int leader, member;

	least_test_begin_running(&least);
	attr.read_format = PERF_FORMAT_GROUP;
	attr.remove_on_exec = 1;
	leader = must_open(&least, attr, least.tasks[1], -1, -1);
	attr.remove_on_exec = 0;
	member = must_open(&least, attr, least.tasks[1], -1, leader);
	least_count(&least, 0, 3);
	least_count(&least, 1, 4);
	least_exec(&least, least.tasks[1], false);
	assert_int_equal(least_read(&least, leader, words, sizeof(words)), 2 * sizeof(words[0]));
	assert_int_equal(words[0], 1);
	assert_int_equal(words[1], 3);
	assert_int_equal(least_read(&least, member, words, sizeof(words)), 2 * sizeof(words[0]));
	assert_int_equal(words[1], 4);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exec_adds_each_member_of_a_group_once),
		cmocka_unit_test(exec_finds_counters_for_pinned_events),
		cmocka_unit_test(an_event_that_is_opened_during_a_privileged_exec_counts_at_once),
		cmocka_unit_test(a_privileged_exec_leaves_its_counters_to_those_that_wait),
		cmocka_unit_test(a_leader_that_is_removed_by_exec_is_read_alone),
	};

	return cmocka_run_group_tests_name("core/least_exec", tests, NULL, NULL);
}
