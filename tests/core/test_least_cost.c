/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of tasks without events, of many CPUs, of many clocks, and of exec with many events. */
#include "core/least/step.h"
#include "core/least_test.h"
#include "probe.h"

static struct least least;

enum { CPUS = 256, FEW = 8, MANY = 48 };

/* There are events of another task and of another CPU. */
static void tasks_without_events_take_no_lock(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *parent, *child;

	least_test_begin(&least, 2, NULL);
	parent = least_task_new(&least);
	must_open(&least, attr, least.tasks[0], -1, -1);
	must_open(&least, attr, NULL, 1, -1);
	least.nr_ops[LEAST_OP_LOCK] = 0;
	least_switch(&least, parent);
	child = least_fork(&least, parent, true);
	least_switch(&least, child);
	least_exec(&least, child, true);
	least_exit(&least, child);
	assert_int_equal(least.nr_ops[LEAST_OP_LOCK], 0);
	least_end(&least);
}

static void munmap_and_close_call_no_cpu_that_cannot_write_to_the_ring(void **state)
{
	int fds[CPUS];

	least_test_begin(&least, CPUS, NULL);
	for (int i = 0; i < CPUS; i++) {
		fds[i] = must_open(&least, attr_faults(1000), NULL, i, -1);
		must_map(&least, fds[i], 1, NULL);
	}
	least.nr_ops[LEAST_OP_CALL] = 0;
	for (int i = 0; i < CPUS; i++)
		least_munmap(&least, fds[i]);
	assert_in_range(least.nr_ops[LEAST_OP_CALL], 0, 2 * CPUS);
	for (int i = 0; i < CPUS; i++)
		least_close(&least, fds[i]);
	assert_in_range(least.nr_ops[LEAST_OP_CALL], 0, 6 * CPUS);
	least_end(&least);
}

/* Return the number of instructions of a switch to the task and back. */
static uint64_t switch_cost(struct least_task *task)
{
	least_step_begin(NULL, NULL, 0);
	least_switch(&least, task);
	least_switch(&least, NULL);
	return least_step_end();
}

static void a_switch_does_not_visit_events_of_other_cpus(void **state)
{
	struct least_task *task;
	uint64_t few;

	if (!least_can_step())
		probe_skip("this machine does not stop after each instruction");
	least_test_begin(&least, CPUS, NULL);
	task = least_task_new(&least);
	least_on(&least, 3);
	must_open(&least, attr_counter(0), task, 3, -1);
	few = switch_cost(task);
	for (int i = 0; i < CPUS; i++) {
		if (i != 3)
			must_open(&least, attr_counter(0), task, i, -1);
	}
	assert_in_range(switch_cost(task), 1, few * 3 / 2);
	least_end(&least);
}

enum { MS = 1000000 };

/* Open software clocks of a task. Each one expires before the clock opened before it. */
static void open_clocks(const struct least_task *task, int nr)
{
	static int opened;

	for (int i = 0; i < nr; i++) {
		struct perf_event_attr attr = attr_faults((uint64_t)(1000 - opened++) * MS);

		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		must_open(&least, attr, task, -1, -1);
	}
}

/* Eight times as many clocks cost eight times as much, plus a margin for the heap's logarithm. */
static void the_cost_of_a_switch_is_linear_in_the_number_of_clocks(void **state)
{
	struct least_task *task;
	uint64_t few;

	if (!least_can_step())
		probe_skip("this machine does not stop after each instruction");
	least_test_begin(&least, 1, NULL);
	task = least_task_new(&least);
	open_clocks(task, 30);
	few = switch_cost(task);
	open_clocks(task, 210);
	assert_in_range(switch_cost(task), 1, few * 8 * 5 / 4);
	least_end(&least);
}

/* Return the number of instructions of an exec with `nr` events, in groups of `each`. */
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

static uint64_t tick_cost(void)
{
	least_step_begin(NULL, NULL, 0);
	least_tick(&least);
	return least_step_end();
}

/* Overflow counter 0 until its event is throttled. */
static void throttle(void)
{
	const struct tally_core_sample_data in_user = {.mode = PERF_RECORD_MISC_USER};

	do {
		least_count(&least, 0, 100);
	} while (least_overflow(&least, 0, &in_user));
}

/* Reasons for a tick to visit events. come_and_go() creates the reason and ends it. */
enum reason { POLLED, THROTTLED_UNTIL_TICK, THROTTLED_UNTIL_DISABLED, TRAPPED, REASONS };

static void come_and_go(enum reason reason)
{
	const struct tally_core_sample_data in_user = {.mode = PERF_RECORD_MISC_USER};
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	if (reason == POLLED) {
		attr.type = least.pmus[1].type;
		attr.sample_period = 0;
	}
	if (reason == TRAPPED)
		attr.sigtrap = attr.remove_on_exec = 1;
	fd = must_open(&least, attr, reason == TRAPPED ? least.tasks[0] : NULL,
		       reason == TRAPPED ? -1 : 0, -1);
	if (reason == THROTTLED_UNTIL_TICK || reason == THROTTLED_UNTIL_DISABLED)
		throttle();
	if (reason == THROTTLED_UNTIL_DISABLED)
		least_ioctl(&least, least.tasks[0], fd, PERF_EVENT_IOC_DISABLE, 0);
	if (reason == TRAPPED) {
		least_count(&least, 0, 100);
		least_overflow(&least, 0, &in_user);
		assert_int_equal(least.traps, 1);
	}
	least_tick(&least);
	if (reason == POLLED)
		least_close(&least, fd);
}

static void a_tick_visits_events_only_as_long_as_there_is_a_reason(void **state)
{
	struct tally_core_settings settings;

	if (!least_can_step())
		probe_skip("this machine does not stop after each instruction");
	tally_core_settings_init(&settings);
	settings.max_sample_rate = 1000;
	for (int reason = 0; reason < REASONS; reason++) {
		uint64_t before;

		least_test_begin(&least, 1, &settings);
		least_switch(&least, least.tasks[0]);
		for (int i = 0; i < 2 * MANY; i++)
			must_open(&least, attr_faults(0), i % 2 ? least.tasks[0] : NULL, -(i % 2),
				  -1);
		before = tick_cost();
		come_and_go((enum reason)reason);
		assert_in_range(tick_cost(), 1, before * 3 / 2);
		least_end(&least);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_without_events_take_no_lock),
		cmocka_unit_test(munmap_and_close_call_no_cpu_that_cannot_write_to_the_ring),
		cmocka_unit_test(a_switch_does_not_visit_events_of_other_cpus),
		cmocka_unit_test(the_cost_of_a_switch_is_linear_in_the_number_of_clocks),
		cmocka_unit_test(the_cost_of_exec_is_linear_in_the_number_of_events),
		cmocka_unit_test(a_tick_visits_events_only_as_long_as_there_is_a_reason),
	};

	return cmocka_run_group_tests_name("core/least_cost", tests, NULL, NULL);
}
