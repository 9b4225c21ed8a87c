/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that exec enables or removes, and the cost of that. */
#include "core/least/step.h"
#include "core/least_test.h"
#include "probe.h"

static struct least least;

enum { FEW = 8, MANY = 48, COUNTERS = 4 };

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

/* Number of instructions of an exec with `nr` events of this kind, in groups of `each`. */
static uint64_t exec_cost(struct perf_event_attr attr, int nr, int each)
{
	struct perf_event_attr plain = attr_faults(0);
	uint64_t cost;
	int leader = -1;

	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	for (int i = 0; i < nr; i++) {
		int group = i % each ? leader : -1;
		int fd = must_open(&least, attr, least.tasks[0], -1, group);

		leader = i % each ? leader : fd;
		must_open(&least, plain, least.tasks[0], -1, -1);
	}
	least_step_begin(NULL, NULL, 0);
	least_exec(&least, least.tasks[0], false);
	cost = least_step_end();
	least_end(&least);
	return cost;
}

static void check_cost(struct perf_event_attr attr, bool grouped)
{
	uint64_t few = exec_cost(attr, FEW, grouped ? FEW : 1);

	assert_in_range(exec_cost(attr, MANY, grouped ? MANY : 1), 1, few * (MANY / FEW) * 3 / 2);
}

static void the_cost_of_exec_is_linear_in_the_number_of_events(void **state)
{
	struct perf_event_attr enabled = attr_faults(0), pinned, removed = enabled;

	if (!least_can_step())
		probe_skip("this machine does not stop after each instruction");
	enabled.disabled = enabled.enable_on_exec = 1;
	pinned = enabled;
	pinned.pinned = 1;
	removed.remove_on_exec = 1;
	check_cost(enabled, true);
	check_cost(enabled, false);
	check_cost(pinned, false);
	check_cost(removed, true);
	check_cost(removed, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exec_adds_each_member_of_a_group_once),
		cmocka_unit_test(exec_finds_counters_for_pinned_events),
		cmocka_unit_test(the_cost_of_exec_is_linear_in_the_number_of_events),
	};

	return cmocka_run_group_tests_name("core/least_exec", tests, NULL, NULL);
}
