/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that exec enables. */
#include "core/least_test.h"

static struct least least;

enum { COUNTERS = 4 };

/* Not once for each member of the group. */
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

/* Other events have all counters. They lose them, but not their counts. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exec_adds_each_member_of_a_group_once),
		cmocka_unit_test(exec_finds_counters_for_pinned_events),
	};

	return cmocka_run_group_tests_name("core/least_exec", tests, NULL, NULL);
}
