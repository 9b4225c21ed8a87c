/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling task is preempted and resumed at each of the core's atomic operations with interrupts
 * on, and before each point where interrupts are turned off. Nothing is lost, and freed memory is
 * not accessed. The same is tested with a tick, which rotates the groups, and with another CPU that
 * terminates the task. */
#include <setjmp.h>

#include "core/minimal/mini.h"
#include "core/core_private.h"
#include "test.h"

static struct mini mini;
static uint64_t left; /* operations left until the preemption; 0 if done or not wanted */

/* Return true when the preemption is due. */
static bool is_time(const struct mini *where, enum mini_point point)
{
	return (point == MINI_AT_ATOMIC || point == MINI_AT_CALL || point == MINI_AT_SAVE) &&
	       !where->off && !where->nmi && where->cpus[where->cpu].task && left && !--left;
}

static void preempt(struct mini *where, enum mini_point point, const volatile void *what)
{
	struct mini_task *task = where->cpus[where->cpu].task;

	if (!is_time(where, point))
		return;
	mini_switch(where, NULL);
	mini_software(where, PERF_COUNT_SW_PAGE_FAULTS, 1);
	mini_switch(where, task);
}

/* Preempt the calling task, and terminate it from another CPU. */
static void end(struct mini *where, enum mini_point point, const volatile void *what)
{
	struct mini_task *task = where->cpus[where->cpu].task;
	uint32_t cpu = where->cpu;

	if (!is_time(where, point))
		return;
	mini_switch(where, NULL);
	where->cpu = !cpu;
	where->off++;
	tally_core_end(where->core, &task->perf);
	where->off--;
	where->cpu = cpu;
	mini_switch(where, task);
}

static void tick(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (!is_time(where, point))
		return;
	where->now += 8000000;
	mini_tick(where);
}

static int open_faults(struct mini_task *task, unsigned inherit, unsigned remove)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_PAGE_FAULTS,
				       .inherit = inherit,
				       .remove_on_exec = remove,
				       .task = 1};
	int fd = mini_open(&mini, task, &attr, sizeof(attr), task->perf.tid, -1, -1, 0);

	/* A task that has exited cannot open an event on itself. */
	assert_true(fd >= 0 || (fd == -ESRCH && task->perf.exited));
	return fd;
}

static uint64_t count_of(int fd)
{
	uint64_t value = 0;

	assert_int_equal(mini_read(&mini, fd, &value, sizeof(value)), sizeof(value));
	return value;
}

static void call_exit(struct mini_task *task, int fd)
{
	mini_exit(&mini, task);
}

static void call_exec(struct mini_task *task, int fd)
{
	mini_exec(&mini, task, false);
}

static void call_exec_privileged(struct mini_task *task, int fd)
{
	mini_exec(&mini, task, true);
}

static void call_open(struct mini_task *task, int fd)
{
	open_faults(task, 0, 0);
}

static void call_close(struct mini_task *task, int fd)
{
	mini_close(&mini, fd);
}

static void call_fork(struct mini_task *task, int fd)
{
	assert_non_null(mini_fork(&mini, task, false));
}

static const struct {
	const char *name;
	void (*call)(struct mini_task *task, int fd);
	bool counts; /* the event continues to count */
} rows[] = {
	{"exit", call_exit, false},
	{"exec", call_exec, true},
	{"exec, privileged", call_exec_privileged, false},
	{"open", call_open, true},
	{"close", call_close, false},
	{"fork", call_fork, true},
};

/* Preempt the call at its nth operation. Returns false if the call has fewer operations. */
static bool play(size_t row, uint64_t nth,
		 void (*happens)(struct mini *, enum mini_point, const volatile void *))
{
	struct mini_task *task;
	bool was;
	int fd;

	mini_begin(&mini, 2, NULL);
	task = mini_task_new(&mini);
	mini_switch(&mini, task);
	fd = open_faults(task, 1, 0);
	open_faults(task, 0, 1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 3);
	left = nth;
	mini.at = happens;
	rows[row].call(task, fd);
	was = !left;
	mini.at = NULL;
	if (happens == end && was) {
		tally_core_reap(mini.core);
		if (rows[row].call != call_close)
			assert_int_equal(count_of(fd), 3);
	} else if (rows[row].counts) {
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 2);
		assert_int_equal(count_of(fd), 5);
	} else if (rows[row].call != call_close) {
		assert_int_equal(count_of(fd), 3);
	}
	mini_end(&mini);
	return was;
}

static void a_preempted_call_loses_nothing(void **state)
{
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		uint64_t nth = 1;

		while (play(row, nth, preempt))
			nth++;
		print_message("# %s: preempted at %llu places\n", rows[row].name,
			      (unsigned long long)nth - 1);
		assert_true(nth > 2);
	}
}

static void a_task_is_ended_in_its_own_call(void **state)
{
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		uint64_t nth = 1;

		while (play(row, nth, end))
			nth++;
		assert_true(nth > 2);
	}
}

/* There are more groups than counters. The child gets all groups, no matter where the tick
 * occurs. */
static bool fork_with_a_tick(uint64_t nth)
{
	enum { GROUPS = 2 * MINI_COUNTERS };
	struct perf_event_attr attr = {.type = 10, .size = sizeof(attr), .config = 1, .inherit = 1};
	struct mini_task *task, *child;
	bool was;

	mini_begin(&mini, 1, NULL);
	task = mini_task_new(&mini);
	mini_switch(&mini, task);
	for (int i = 0; i < GROUPS; i++) {
		assert_true(mini_open(&mini, task, &attr, sizeof(attr), task->perf.tid, -1, -1,
				      0) >= 0);
		mini.now += 1000;
	}
	left = nth;
	mini.at = tick;
	child = mini_fork(&mini, task, false);
	was = !left;
	mini.at = NULL;
	assert_non_null(child);
	assert_non_null(child->perf.context);
	assert_int_equal(child->perf.context->nr_events, GROUPS);
	mini_end(&mini);
	return was;
}

static void a_tick_in_a_fork_changes_nothing(void **state)
{
	uint64_t nth = 1;

	while (fork_with_a_tick(nth))
		nth++;
	assert_true(nth > 10);
}

static bool has_moved; /* the groups of a task on the other CPU were rotated */

/* Raise a tick on the other CPU, which rotates that CPU's groups. */
static void tick_there(struct mini *where, enum mini_point point, const volatile void *what)
{
	struct tally_core_context *context;
	const struct tally_list *before;
	uint32_t cpu = where->cpu;

	if (!is_time(where, point))
		return;
	where->cpu = !cpu;
	where->now += 8000000;
	context = where->cpus[where->cpu].task->perf.context;
	before = context->active.next;
	mini_tick(where);
	has_moved = context->active.next != before;
	where->cpu = cpu;
}

/* A task that opens an event on a running task can be preempted anywhere. In the meantime, the
 * running task's groups are rotated. */
static bool open_with_a_tick(uint64_t nth)
{
	struct perf_event_attr attr = {.type = 10, .size = sizeof(attr), .config = 1};
	struct mini_task *task, *opener;
	bool was;

	mini_begin(&mini, 2, NULL);
	task = mini_task_new(&mini);
	mini_switch(&mini, task);
	for (int i = 0; i < 2 * MINI_COUNTERS; i++) {
		assert_true(mini_open(&mini, task, &attr, sizeof(attr), 0, -1, -1, 0) >= 0);
		mini.now += 1000;
	}
	mini.cpu = 1;
	opener = mini_task_new(&mini);
	mini_switch(&mini, opener);
	left = nth;
	has_moved = true;
	mini.at = tick_there;
	assert_true(mini_open(&mini, opener, &attr, sizeof(attr), task->perf.tid, -1, -1, 0) >= 0);
	was = !left;
	mini.at = NULL;
	assert_true(has_moved);
	mini_end(&mini);
	return was;
}

static void groups_rotate_during_an_open(void **state)
{
	uint64_t nth = 1;

	while (open_with_a_tick(nth))
		nth++;
	assert_true(nth > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_preempted_call_loses_nothing),
		cmocka_unit_test(a_task_is_ended_in_its_own_call),
		cmocka_unit_test(a_tick_in_a_fork_changes_nothing),
		cmocka_unit_test(groups_rotate_during_an_open),
	};

	return cmocka_run_group_tests_name("core/preempt", tests, NULL, NULL);
}
