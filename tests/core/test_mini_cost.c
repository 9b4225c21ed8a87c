/* SPDX-License-Identifier: BSD-2-Clause */
/* Check the cost of tasks without events, of large numbers of CPUs and clocks, and of exec with
 * many events. */
#include "core/minimal/step.h"
#include "core/mini_test.h"
#include "probe.h"

static struct mini mini;

enum { CPUS = 256, FEW = 8, MANY = 48 };

/* There are events, but only on another task and another CPU. */
static void tasks_without_events_take_no_lock(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *parent, *child;

	mini_test_begin(&mini, 2, NULL);
	parent = mini_task_new(&mini);
	must_open(&mini, attr, mini.tasks[0], -1, -1);
	must_open(&mini, attr, NULL, 1, -1);
	mini.nr_ops[MINI_OP_LOCK] = 0;
	mini_switch(&mini, parent);
	child = mini_fork(&mini, parent, true);
	mini_switch(&mini, child);
	mini_exec(&mini, child, true);
	mini_exit(&mini, child);
	assert_int_equal(mini.nr_ops[MINI_OP_LOCK], 0);
	mini_end(&mini);
}

static void munmap_and_close_call_no_cpu_that_cannot_write_to_the_ring(void **state)
{
	int fds[CPUS];

	mini_test_begin(&mini, CPUS, NULL);
	for (int i = 0; i < CPUS; i++) {
		fds[i] = must_open(&mini, attr_faults(1000), NULL, i, -1);
		must_map(&mini, fds[i], 1, NULL);
	}
	mini.nr_ops[MINI_OP_CALL] = 0;
	for (int i = 0; i < CPUS; i++)
		mini_munmap(&mini, fds[i]);
	assert_in_range(mini.nr_ops[MINI_OP_CALL], 0, 2 * CPUS);
	for (int i = 0; i < CPUS; i++)
		mini_close(&mini, fds[i]);
	assert_in_range(mini.nr_ops[MINI_OP_CALL], 0, 6 * CPUS);
	mini_end(&mini);
}

/* Return the number of instructions needed to switch to the task and back. */
static uint64_t switch_cost(struct mini_task *task)
{
	mini_step_begin(NULL, NULL, 0);
	mini_switch(&mini, task);
	mini_switch(&mini, NULL);
	return mini_step_end();
}

static void a_switch_does_not_visit_events_of_other_cpus(void **state)
{
	struct mini_task *task;
	uint64_t few;

	if (!mini_can_step())
		probe_skip("this machine does not stop after each instruction");
	mini_test_begin(&mini, CPUS, NULL);
	task = mini_task_new(&mini);
	mini_on(&mini, 3);
	must_open(&mini, attr_counter(0), task, 3, -1);
	few = switch_cost(task);
	for (int i = 0; i < CPUS; i++) {
		if (i != 3)
			must_open(&mini, attr_counter(0), task, i, -1);
	}
	assert_in_range(switch_cost(task), 1, few * 3 / 2);
	mini_end(&mini);
}

enum { MS = 1000000 };

/* Open software clocks on a task. Each clock expires before the previously opened one. */
static void open_clocks(const struct mini_task *task, int nr)
{
	static int opened;

	for (int i = 0; i < nr; i++) {
		struct perf_event_attr attr = attr_faults((uint64_t)(1000 - opened++) * MS);

		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		must_open(&mini, attr, task, -1, -1);
	}
}

/* With eight times as many clocks, the cost may be eight times as high, plus a margin for the
 * heap's logarithmic factor. */
static void the_cost_of_a_switch_is_linear_in_the_number_of_clocks(void **state)
{
	struct mini_task *task;
	uint64_t few;

	if (!mini_can_step())
		probe_skip("this machine does not stop after each instruction");
	mini_test_begin(&mini, 1, NULL);
	task = mini_task_new(&mini);
	open_clocks(task, 30);
	few = switch_cost(task);
	open_clocks(task, 210);
	assert_in_range(switch_cost(task), 1, few * 8 * 5 / 4);
	mini_end(&mini);
}

/* Return the number of instructions needed for an exec with `nr` events, in groups of `each`. */
static uint64_t exec_cost(struct perf_event_attr attr, int nr, int each)
{
	struct perf_event_attr plain = attr_faults(0);
	uint64_t cost;
	int leader = -1;

	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < nr; i++) {
		int group = i % each ? leader : -1;
		int fd = must_open(&mini, attr, mini.tasks[0], -1, group);

		leader = i % each ? leader : fd;
		must_open(&mini, plain, mini.tasks[0], -1, -1);
	}
	mini_step_begin(NULL, NULL, 0);
	mini_exec(&mini, mini.tasks[0], false);
	cost = mini_step_end();
	mini_end(&mini);
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

	if (!mini_can_step())
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
	mini_step_begin(NULL, NULL, 0);
	mini_tick(&mini);
	return mini_step_end();
}

/* Overflow counter 0 until its event is throttled. */
static void throttle(void)
{
	const struct tally_core_sample_data in_user = {.mode = PERF_RECORD_MISC_USER};

	do {
		mini_count(&mini, 0, 100);
	} while (mini_overflow(&mini, 0, &in_user));
}

/* Reasons for a tick to visit events. come_and_go() creates a reason and removes it again. */
enum reason { POLLED, THROTTLED_UNTIL_TICK, THROTTLED_UNTIL_DISABLED, TRAPPED, REASONS };

static void come_and_go(enum reason reason)
{
	const struct tally_core_sample_data in_user = {.mode = PERF_RECORD_MISC_USER};
	struct perf_event_attr attr = attr_counter(100);
	int fd;

	if (reason == POLLED) {
		attr.type = mini.pmus[1].type;
		attr.sample_period = 0;
	}
	if (reason == TRAPPED)
		attr.sigtrap = attr.remove_on_exec = 1;
	fd = must_open(&mini, attr, reason == TRAPPED ? mini.tasks[0] : NULL,
		       reason == TRAPPED ? -1 : 0, -1);
	if (reason == THROTTLED_UNTIL_TICK || reason == THROTTLED_UNTIL_DISABLED)
		throttle();
	if (reason == THROTTLED_UNTIL_DISABLED)
		mini_ioctl(&mini, mini.tasks[0], fd, PERF_EVENT_IOC_DISABLE, 0);
	if (reason == TRAPPED) {
		mini_count(&mini, 0, 100);
		mini_overflow(&mini, 0, &in_user);
		assert_int_equal(mini.traps, 1);
	}
	mini_tick(&mini);
	if (reason == POLLED)
		mini_close(&mini, fd);
}

static void a_tick_visits_events_only_as_long_as_there_is_a_reason(void **state)
{
	struct tally_core_settings settings;

	if (!mini_can_step())
		probe_skip("this machine does not stop after each instruction");
	tally_core_settings_init(&settings);
	settings.max_sample_rate = 1000;
	for (int reason = 0; reason < REASONS; reason++) {
		uint64_t before;

		mini_test_begin(&mini, 1, &settings);
		mini_switch(&mini, mini.tasks[0]);
		for (int i = 0; i < 2 * MANY; i++)
			must_open(&mini, attr_faults(0), i % 2 ? mini.tasks[0] : NULL, -(i % 2),
				  -1);
		before = tick_cost();
		come_and_go((enum reason)reason);
		assert_in_range(tick_cost(), 1, before * 3 / 2);
		mini_end(&mini);
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

	return cmocka_run_group_tests_name("core/minimal_cost", tests, NULL, NULL);
}
