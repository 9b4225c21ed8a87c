/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling task is preempted and continued at each atomic operation of the core with interrupts
 * on, and before each point where interrupts are turned off. Nothing is lost, and freed memory is
 * not accessed. The same with a tick, which rotates the groups, and with another CPU that ends the
 * task. */
#include <setjmp.h>

#include "core/least/least.h"
#include "core/private.h"
#include "test.h"

static struct least least;
static uint64_t left; /* operations until the preemption; 0: it happened, or will not happen */

/* Return true when the preemption is due. */
static bool is_time(const struct least *where, enum least_point point)
{
	return (point == LEAST_AT_ATOMIC || point == LEAST_AT_CALL || point == LEAST_AT_SAVE) &&
	       !where->off && !where->nmi && where->cpus[where->cpu].task && left && !--left;
}

static void preempt(struct least *where, enum least_point point, const volatile void *what)
{
	struct least_task *task = where->cpus[where->cpu].task;

	if (!is_time(where, point))
		return;
	least_switch(where, NULL);
	least_software(where, PERF_COUNT_SW_PAGE_FAULTS, 1);
	least_switch(where, task);
}

/* The calling task is preempted, and another CPU ends it. */
static void end(struct least *where, enum least_point point, const volatile void *what)
{
	struct least_task *task = where->cpus[where->cpu].task;
	uint32_t cpu = where->cpu;

	if (!is_time(where, point))
		return;
	least_switch(where, NULL);
	where->cpu = !cpu;
	where->off++;
	tally_core_end(where->core, &task->perf);
	where->off--;
	where->cpu = cpu;
	least_switch(where, task);
}

static void tick(struct least *where, enum least_point point, const volatile void *what)
{
	if (!is_time(where, point))
		return;
	where->now += 8000000;
	least_tick(where);
}

static int open_faults(struct least_task *task, unsigned inherit, unsigned remove)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_PAGE_FAULTS,
				       .inherit = inherit,
				       .remove_on_exec = remove,
				       .task = 1};
	int fd = least_open(&least, task, &attr, sizeof(attr), task->perf.tid, -1, -1, 0);

	/* A task that has exited cannot open an event on itself. */
	assert_true(fd >= 0 || (fd == -ESRCH && task->perf.exited));
	return fd;
}

static uint64_t count_of(int fd)
{
	uint64_t value = 0;

	assert_int_equal(least_read(&least, fd, &value, sizeof(value)), sizeof(value));
	return value;
}

static void call_exit(struct least_task *task, int fd)
{
	least_exit(&least, task);
}

static void call_exec(struct least_task *task, int fd)
{
	least_exec(&least, task, false);
}

static void call_exec_privileged(struct least_task *task, int fd)
{
	least_exec(&least, task, true);
}

static void call_open(struct least_task *task, int fd)
{
	open_faults(task, 0, 0);
}

static void call_close(struct least_task *task, int fd)
{
	least_close(&least, fd);
}

static void call_fork(struct least_task *task, int fd)
{
	assert_non_null(least_fork(&least, task, false));
}

static const struct {
	const char *name;
	void (*call)(struct least_task *task, int fd);
	bool counts; /* the event continues to count */
} rows[] = {
	{"exit", call_exit, false},
	{"exec", call_exec, true},
	{"exec, privileged", call_exec_privileged, false},
	{"open", call_open, true},
	{"close", call_close, false},
	{"fork", call_fork, true},
};

/* Preempt at the nth operation. Returns false if there were fewer operations. */
static bool play(size_t row, uint64_t nth,
		 void (*happens)(struct least *, enum least_point, const volatile void *))
{
	struct least_task *task;
	bool was;
	int fd;

	least_begin(&least, 2, NULL);
	task = least_task_new(&least);
	least_switch(&least, task);
	fd = open_faults(task, 1, 0);
	open_faults(task, 0, 1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 3);
	left = nth;
	least.at = happens;
	rows[row].call(task, fd);
	was = !left;
	least.at = NULL;
	if (happens == end && was) {
		tally_core_reap(least.core);
		if (rows[row].call != call_close)
			assert_int_equal(count_of(fd), 3);
	} else if (rows[row].counts) {
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 2);
		assert_int_equal(count_of(fd), 5);
	} else if (rows[row].call != call_close) {
		assert_int_equal(count_of(fd), 3);
	}
	least_end(&least);
	return was;
}

static void test_calls(void **state)
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

static void test_the_task_is_ended_in_its_own_call(void **state)
{
	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		uint64_t nth = 1;

		while (play(row, nth, end))
			nth++;
		assert_true(nth > 2);
	}
}

/* There are more groups than counters. The child gets all of them wherever the tick occurs. */
static bool fork_with_a_tick(uint64_t nth)
{
	enum { GROUPS = 2 * LEAST_COUNTERS };
	struct perf_event_attr attr = {.type = 10, .size = sizeof(attr), .config = 1, .inherit = 1};
	struct least_task *task, *child;
	bool was;

	least_begin(&least, 1, NULL);
	task = least_task_new(&least);
	least_switch(&least, task);
	for (int i = 0; i < GROUPS; i++) {
		assert_true(least_open(&least, task, &attr, sizeof(attr), task->perf.tid, -1, -1,
				       0) >= 0);
		least.now += 1000;
	}
	left = nth;
	least.at = tick;
	child = least_fork(&least, task, false);
	was = !left;
	least.at = NULL;
	assert_non_null(child);
	assert_non_null(child->perf.context);
	assert_int_equal(child->perf.context->nr_events, GROUPS);
	least_end(&least);
	return was;
}

static void test_a_tick_in_a_fork_changes_nothing(void **state)
{
	uint64_t nth = 1;

	while (fork_with_a_tick(nth))
		nth++;
	assert_true(nth > 10);
}

static bool has_moved; /* the groups of a task on the other CPU were rotated */

/* Tick on the other CPU, which rotates its groups. */
static void tick_there(struct least *where, enum least_point point, const volatile void *what)
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
	least_tick(where);
	has_moved = context->active.next != before;
	where->cpu = cpu;
}

/* A task that opens an event on a running task can be preempted anywhere. Meanwhile the groups of
 * the running task are rotated. */
static bool open_with_a_tick(uint64_t nth)
{
	struct perf_event_attr attr = {.type = 10, .size = sizeof(attr), .config = 1};
	struct least_task *task, *opener;
	bool was;

	least_begin(&least, 2, NULL);
	task = least_task_new(&least);
	least_switch(&least, task);
	for (int i = 0; i < 2 * LEAST_COUNTERS; i++) {
		assert_true(least_open(&least, task, &attr, sizeof(attr), 0, -1, -1, 0) >= 0);
		least.now += 1000;
	}
	least.cpu = 1;
	opener = least_task_new(&least);
	least_switch(&least, opener);
	left = nth;
	has_moved = true;
	least.at = tick_there;
	assert_true(least_open(&least, opener, &attr, sizeof(attr), task->perf.tid, -1, -1, 0) >=
		    0);
	was = !left;
	least.at = NULL;
	assert_true(has_moved);
	least_end(&least);
	return was;
}

static void test_groups_take_turns_while_somebody_opens(void **state)
{
	uint64_t nth = 1;

	while (open_with_a_tick(nth))
		nth++;
	assert_true(nth > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_the_task_is_ended_in_its_own_call),
		cmocka_unit_test(test_a_tick_in_a_fork_changes_nothing),
		cmocka_unit_test(test_groups_take_turns_while_somebody_opens),
	};

	return cmocka_run_group_tests_name("core/preempt", tests, NULL, NULL);
}
