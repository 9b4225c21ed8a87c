/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that are enabled or removed by exec. */
#include "core/mini_test.h"

static struct mini mini;

enum { COUNTERS = 4 };

/* Each member must be added only once, not once for every member of the group. */
static void exec_adds_each_member_of_a_group_once(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	int fds[COUNTERS];

	mini_test_begin(&mini, 1, NULL);
	attr.disabled = attr.enable_on_exec = 1;
	for (int i = 0; i < COUNTERS; i++)
		fds[i] = must_open(&mini, attr, mini.tasks[0], -1, i ? fds[0] : -1);
	mini_switch(&mini, mini.tasks[0]);
	mini.nr_ops[MINI_OP_ADD] = 0;
	mini_exec(&mini, mini.tasks[0], false);
	assert_int_equal(mini.nr_ops[MINI_OP_ADD], COUNTERS);
	for (int i = 0; i < COUNTERS; i++)
		mini_count(&mini, (uint32_t)i, 7);
	for (int i = 0; i < COUNTERS; i++)
		assert_int_equal(value_of(&mini, fds[i]), 7);
	/* enable_on_exec only works once. */
	mini_ioctl(&mini, mini.tasks[0], fds[0], PERF_EVENT_IOC_DISABLE, 0);
	mini_exec(&mini, mini.tasks[0], false);
	mini_count(&mini, 0, 7);
	assert_int_equal(value_of(&mini, fds[0]), 7);
	mini_end(&mini);
}

/* Other events occupy all counters. The pinned events take these counters, but the other events
 * keep their counts. */
static void exec_finds_counters_for_pinned_events(void **state)
{
	struct perf_event_attr attr = attr_counter(0), pinned = attr;
	int others[COUNTERS], fds[COUNTERS];
	uint64_t sum = 0;

	mini_test_begin(&mini, 1, NULL);
	pinned.disabled = pinned.enable_on_exec = pinned.pinned = 1;
	for (int i = 0; i < COUNTERS; i++) {
		others[i] =
			must_open(&mini, attr, i & 1 ? NULL : mini.tasks[0], i & 1 ? 0 : -1, -1);
		fds[i] = must_open(&mini, pinned, mini.tasks[0], -1, -1);
	}
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < COUNTERS; i++)
		mini_count(&mini, (uint32_t)i, 5);
	mini_exec(&mini, mini.tasks[0], false);
	for (int i = 0; i < COUNTERS; i++)
		mini_count(&mini, (uint32_t)i, 7);
	for (int i = 0; i < COUNTERS; i++) {
		assert_int_equal(value_of(&mini, fds[i]), 7);
		sum += value_of(&mini, others[i]);
	}
	assert_int_equal(sum, COUNTERS * 5);
	mini_end(&mini);
}

static int opened;

static void open_on_task(void)
{
	opened = must_open(&mini, attr_counter(0), mini.tasks[1], -1, -1);
}

/* Open an event when the task has been detached from its context, but the context is still on the
 * CPU. */
static void open_at_call(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point == MINI_AT_CALL && opened < 0 && !where->tasks[1]->perf.context)
		assert_true(mini_overlap_locked(where, open_on_task));
}

static void an_event_opened_during_a_privileged_exec_counts_immediately(void **state)
{
	mini_test_begin_running(&mini);
	must_open(&mini, attr_counter(0), mini.tasks[1], -1, -1);
	opened = -1;
	mini.at = open_at_call;
	mini_exec(&mini, mini.tasks[1], true);
	mini.at = NULL;
	assert_true(opened >= 0);
	mini_count(&mini, 0, 7);
	assert_int_equal(count_of(&mini, opened), 7);
	mini_end(&mini);
}

/* The task's events occupy all counters while a CPU event waits for a counter. */
static void a_privileged_exec_releases_counters_to_waiting_events(void **state)
{
	int fd;

	mini_test_begin_running(&mini);
	for (int i = 0; i < COUNTERS; i++)
		must_open(&mini, attr_counter(0), mini.tasks[1], -1, -1);
	fd = must_open(&mini, attr_counter(0), NULL, 0, -1);
	mini_exec(&mini, mini.tasks[1], true);
	mini_count(&mini, 0, 7);
	assert_int_equal(count_of(&mini, fd), 7);
	mini_end(&mini);
}

/* Only the leader is removed. Reads of the leader and of the member return one value each. */
static void a_leader_that_is_removed_by_exec_is_read_alone(void **state)
{
	struct perf_event_attr attr = attr_counter(0);
	uint64_t words[3] = {0};
	int leader, member;

	mini_test_begin_running(&mini);
	attr.read_format = PERF_FORMAT_GROUP;
	attr.remove_on_exec = 1;
	leader = must_open(&mini, attr, mini.tasks[1], -1, -1);
	attr.remove_on_exec = 0;
	member = must_open(&mini, attr, mini.tasks[1], -1, leader);
	mini_count(&mini, 0, 3);
	mini_count(&mini, 1, 4);
	mini_exec(&mini, mini.tasks[1], false);
	assert_int_equal(mini_read(&mini, leader, words, sizeof(words)), 2 * sizeof(words[0]));
	assert_int_equal(words[0], 1);
	assert_int_equal(words[1], 3);
	assert_int_equal(mini_read(&mini, member, words, sizeof(words)), 2 * sizeof(words[0]));
	assert_int_equal(words[1], 4);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exec_adds_each_member_of_a_group_once),
		cmocka_unit_test(exec_finds_counters_for_pinned_events),
		cmocka_unit_test(an_event_opened_during_a_privileged_exec_counts_immediately),
		cmocka_unit_test(a_privileged_exec_releases_counters_to_waiting_events),
		cmocka_unit_test(a_leader_that_is_removed_by_exec_is_read_alone),
	};

	return cmocka_run_group_tests_name("core/minimal_exec", tests, NULL, NULL);
}
