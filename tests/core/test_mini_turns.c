/* SPDX-License-Identifier: BSD-2-Clause */
/* Multiplexing: which groups a tick takes off the counters, and which groups it leaves on. */
#include "core/mini_test.h"

enum { TICK = 4000000 };

static struct mini mini;

static struct perf_event_attr attr_timed(void)
{
	struct perf_event_attr attr = attr_counter(0);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

/* Return how long the event has been on a counter. */
static uint64_t running_of(int fd)
{
	uint64_t words[3] = {0};

	assert_int_equal(mini_read(&mini, fd, words, sizeof(words)), sizeof(words));
	return words[2];
}

static void tick_after(uint64_t ns)
{
	mini_advance(&mini, ns);
	mini_tick(&mini);
}

/* Five events share four counters. The first tick replaces the fourth event with the fifth. The
 * fourth event gets a counter again shortly before the second tick. */
static void a_group_that_returned_shortly_before_a_tick_stays_on(void **state)
{
	int fds[6];

	mini_test_begin(&mini, 1, NULL);
	for (int i = 0; i < 5; i++)
		fds[i] = must_open(&mini, attr_timed(), NULL, 0, -1);
	tick_after(TICK);
	assert_int_equal(running_of(fds[3]), TICK);
	mini_advance(&mini, TICK - TICK / 8);
	mini_close(&mini, fds[4]);
	fds[4] = must_open(&mini, attr_timed(), NULL, 0, -1);
	tick_after(TICK / 8);
	assert_int_equal(running_of(fds[3]), TICK + TICK / 8);
	mini_advance(&mini, TICK / 2);
	assert_int_equal(running_of(fds[3]), TICK + TICK / 8 + TICK / 2);
	mini_end(&mini);
}

/* Open five events for four counters, then close one event, so that no event is waiting any
 * longer. */
static void check_ticks_leave_all_on(int32_t cpu)
{
	uint64_t stops;
	int fds[5];

	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < 5; i++)
		fds[i] = must_open(&mini, attr_timed(), cpu < 0 ? mini.tasks[0] : NULL, cpu, -1);
	tick_after(TICK);
	mini_close(&mini, fds[0]);
	stops = mini.nr_ops[MINI_OP_STOP];
	for (int i = 0; i < 4; i++)
		tick_after(TICK);
	assert_int_equal(mini.nr_ops[MINI_OP_STOP], stops);
	mini_end(&mini);
}

static void a_tick_takes_nothing_off_once_all_events_have_counters(void **state)
{
	check_ticks_leave_all_on(-1);
	check_ticks_leave_all_on(0);
}

/* A task event for any CPU has waited longest, followed by four CPU events and by a task event for
 * this CPU. When the task is switched in for the second time, the core already knows that one of
 * the task's events is waiting. */
static void the_longest_waiting_task_event_replaces_a_cpu_event(void **state)
{
	int first, last;

	mini_test_begin(&mini, 1, NULL);
	first = must_open(&mini, attr_timed(), mini.tasks[0], -1, -1);
	mini_advance(&mini, 1000);
	for (int i = 0; i < MINI_COUNTERS; i++)
		must_open(&mini, attr_timed(), NULL, 0, -1);
	mini_advance(&mini, 1000);
	last = must_open(&mini, attr_timed(), mini.tasks[0], 0, -1);
	for (int i = 0; i < 2; i++) {
		mini_switch(&mini, mini.tasks[0]);
		assert_int_equal(running_of(first), 0);
		mini_advance(&mini, 1000);
		if (i == 0)
			mini_switch(&mini, NULL);
	}
	assert_int_equal(running_of(first), 1000);
	assert_int_equal(running_of(last), 0);
	mini_end(&mini);
}

/* The CPU's events have waited longer than the task's event. */
static void the_events_of_a_cpu_stay_on_while_it_is_their_turn(void **state)
{
	uint64_t stops;

	mini_test_begin(&mini, 1, NULL);
	for (int i = 0; i < MINI_COUNTERS; i++)
		must_open(&mini, attr_timed(), NULL, 0, -1);
	mini_advance(&mini, 1000);
	must_open(&mini, attr_timed(), mini.tasks[0], -1, -1);
	stops = mini.nr_ops[MINI_OP_STOP];
	for (int i = 0; i < 3; i++) {
		mini_switch(&mini, mini.tasks[0]);
		mini_switch(&mini, NULL);
	}
	assert_int_equal(mini.nr_ops[MINI_OP_STOP], stops);
	mini_end(&mini);
}

/* A fifth event is opened or enabled shortly before the tick. */
static void check_time_before(bool enabled)
{
	struct perf_event_attr late = attr_timed();
	int fds[5];

	mini_test_begin(&mini, 1, NULL);
	for (int i = 0; i < MINI_COUNTERS; i++)
		fds[i] = must_open(&mini, attr_timed(), NULL, 0, -1);
	late.disabled = enabled;
	if (enabled)
		fds[4] = must_open(&mini, late, NULL, 0, -1);
	mini_advance(&mini, TICK - TICK / 8);
	if (enabled)
		mini_ioctl(&mini, mini.tasks[0], fds[4], PERF_EVENT_IOC_ENABLE, 0);
	else
		fds[4] = must_open(&mini, late, NULL, 0, -1);
	tick_after(TICK / 8);
	mini_advance(&mini, TICK / 8);
	for (int i = 0; i < MINI_COUNTERS; i++)
		assert_int_equal(running_of(fds[i]), TICK + TICK / 8);
	assert_int_equal(running_of(fds[4]), 0);
	mini_end(&mini);
}

static void time_without_waiting_events_is_not_part_of_a_turn(void **state)
{
	check_time_before(false);
	check_time_before(true);
}

/* The task's pinned event, which is limited to this CPU, takes a counter from a CPU event. */
static void a_pinned_event_of_a_task_on_one_cpu_is_on_whenever_the_task_is(void **state)
{
	struct perf_event_attr pinned = attr_timed();
	int fd;

	mini_test_begin(&mini, 2, NULL);
	for (int i = 0; i < MINI_COUNTERS; i++)
		must_open(&mini, attr_timed(), NULL, 1, -1);
	pinned.pinned = 1;
	fd = must_open(&mini, pinned, mini.tasks[0], 1, -1);
	for (uint32_t i = 0; i < 4; i++) {
		mini_on(&mini, i % 2);
		mini_switch(&mini, mini.tasks[0]);
		mini_advance(&mini, 1000);
		mini_switch(&mini, NULL);
	}
	assert_int_equal(running_of(fd), 2000);
	mini_end(&mini);
}

/* While the task with the waiting event is not running, no event is waiting. */
static void time_without_the_waiting_task_is_not_part_of_a_turn(void **state)
{
	int fd;

	mini_test_begin(&mini, 1, NULL);
	for (int i = 0; i < MINI_COUNTERS; i++)
		must_open(&mini, attr_timed(), NULL, 0, -1);
	mini_advance(&mini, 1000);
	fd = must_open(&mini, attr_timed(), mini.tasks[0], -1, -1);
	for (int i = 0; i < 2; i++) {
		mini_switch(&mini, mini.tasks[0]);
		mini_advance(&mini, TICK / 8);
		if (i == 0)
			mini_switch(&mini, NULL);
		mini_advance(&mini, i == 0 ? TICK : 0);
	}
	mini_tick(&mini);
	mini_advance(&mini, TICK / 8);
	assert_int_equal(running_of(fd), 0);
	mini_end(&mini);
}

/* All counters are taken by task events (flexible_cpu -1) or by CPU events (flexible_cpu 0). */
static void check_pinned_takes_place(int32_t flexible_cpu, int32_t pinned_cpu)
{
	struct perf_event_attr pinned = attr_timed();
	int fd;

	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	for (int i = 0; i < MINI_COUNTERS; i++)
		must_open(&mini, attr_timed(), flexible_cpu < 0 ? mini.tasks[0] : NULL,
			  flexible_cpu, -1);
	pinned.pinned = 1;
	fd = must_open(&mini, pinned, pinned_cpu < 0 ? mini.tasks[0] : NULL, pinned_cpu, -1);
	mini_advance(&mini, 1000);
	assert_int_equal(running_of(fd), 1000);
	mini_end(&mini);
}

static void a_pinned_event_takes_the_place_of_any_flexible_one(void **state)
{
	for (int i = 0; i < 4; i++)
		check_pinned_takes_place(-(i & 1), -(i >> 1));
}

/* A group is waiting when its second member is enabled. Then two events are closed, and the
 * group gets counters. Another event is opened shortly before the next tick, and is waiting at
 * that tick. */
static void enabling_a_member_of_a_waiting_group_does_not_end_its_wait(void **state)
{
	struct perf_event_attr disabled = attr_timed();
	int fds[4], leader, member;

	mini_test_begin(&mini, 1, NULL);
	for (int i = 0; i < 4; i++)
		fds[i] = must_open(&mini, attr_timed(), NULL, 0, -1);
	leader = must_open(&mini, attr_timed(), NULL, 0, -1);
	disabled.disabled = 1;
	member = must_open(&mini, disabled, NULL, 0, leader);
	mini_advance(&mini, TICK - TICK / 4);
	mini_ioctl(&mini, mini.tasks[0], member, PERF_EVENT_IOC_ENABLE, 0);
	mini_close(&mini, fds[0]);
	mini_close(&mini, fds[1]);
	assert_int_equal(running_of(leader), 0);
	must_open(&mini, attr_timed(), NULL, 0, -1);
	tick_after(TICK / 4);
	mini_advance(&mini, TICK / 4);
	assert_int_equal(running_of(leader), TICK / 2);
	assert_int_equal(running_of(member), TICK / 2);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_that_returned_shortly_before_a_tick_stays_on),
		cmocka_unit_test(a_tick_takes_nothing_off_once_all_events_have_counters),
		cmocka_unit_test(the_longest_waiting_task_event_replaces_a_cpu_event),
		cmocka_unit_test(the_events_of_a_cpu_stay_on_while_it_is_their_turn),
		cmocka_unit_test(time_without_waiting_events_is_not_part_of_a_turn),
		cmocka_unit_test(a_pinned_event_of_a_task_on_one_cpu_is_on_whenever_the_task_is),
		cmocka_unit_test(time_without_the_waiting_task_is_not_part_of_a_turn),
		cmocka_unit_test(a_pinned_event_takes_the_place_of_any_flexible_one),
		cmocka_unit_test(enabling_a_member_of_a_waiting_group_does_not_end_its_wait),
	};

	return cmocka_run_group_tests_name("core/minimal_turns", tests, NULL, NULL);
}
