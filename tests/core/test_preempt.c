/* SPDX-License-Identifier: BSD-2-Clause */
/* The task that makes a call is preempted, and comes back, at each of the core's atomic operations
 * in turn where interrupts are on: nothing is lost, and what was freed nobody touches. */
#include <setjmp.h>

#include "core/least/least.h"
#include "test.h"

static struct least least;
static uint64_t left; /* operations until it is preempted; 0: it was, or will not be */

static void preempt(struct least *where, enum least_point point, const volatile void *what)
{
	struct least_task *task = where->cpus[where->cpu].task;

	if ((point != LEAST_AT_ATOMIC && point != LEAST_AT_CALL) || where->off || where->nmi ||
	    !task || !left || --left)
		return;
	least_switch(where, NULL);
	least_software(where, PERF_COUNT_SW_PAGE_FAULTS, 1);
	least_switch(where, task);
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

	assert_true(fd >= 0);
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
	bool counts; /* the event goes on */
} rows[] = {
	{"exit", call_exit, false},
	{"exec", call_exec, true},
	{"exec, privileged", call_exec_privileged, false},
	{"open", call_open, true},
	{"close", call_close, false},
	{"fork", call_fork, true},
};

/* Preempted at the nth operation; false: there were fewer. */
static bool play(size_t row, uint64_t nth)
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
	least.at = preempt;
	rows[row].call(task, fd);
	was = !left;
	least.at = NULL;
	if (rows[row].counts) {
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

		while (play(row, nth))
			nth++;
		print_message("# %s: preempted at %llu places\n", rows[row].name,
			      (unsigned long long)nth - 1);
		assert_true(nth > 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls)};

	return cmocka_run_group_tests_name("core/preempt", tests, NULL, NULL);
}
