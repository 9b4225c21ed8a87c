/* SPDX-License-Identifier: BSD-2-Clause */
/* What overflow interrupts do: to whom they signal, what they count, what they stop. */
#include "core/least_test.h"

static struct least least;

static const struct tally_core_sample_data in_user = {
	.ip = 0x1234, .addr = 0xdead, .mode = PERF_RECORD_MISC_USER};
static const struct tally_core_sample_data in_kernel = {
	.ip = 0xffffffff81000000, .addr = 0xffff888000001234, .mode = PERF_RECORD_MISC_KERNEL};

static struct perf_event_attr attr_trap(void)
{
	struct perf_event_attr attr = attr_counter(100);

	attr.sigtrap = attr.remove_on_exec = attr.exclude_kernel = 1;
	attr.sig_data = 77;
	return attr;
}

static int overflows;

static void overflow_at_stop(struct least *where, enum least_point point, const volatile void *what)
{
	if (point != LEAST_AT_STOP || overflows++)
		return;
	least_count(where, 0, 100);
	least_overflow(where, 0, &in_kernel);
}

/* The interrupt comes while the CPU goes from the event's task to another one, or to none. */
static void switch_with_trap(bool to_other)
{
	struct least_task *mine, *other;

	least_test_begin(&least, 1, NULL);
	mine = least_task_new(&least);
	other = least_task_new(&least);
	least_switch(&least, mine);
	must_open(&least, attr_trap(), mine, -1, -1);
	overflows = 0;
	least.at = overflow_at_stop;
	least_switch(&least, to_other ? other : NULL);
	least.at = NULL;
	assert_int_equal(overflows, 1);
	assert_true(!least.traps || least.trapped == &mine->perf);
	least_switch(&least, mine);
	least_tick(&least);
	assert_int_equal(least.traps, 1);
	assert_ptr_equal(least.trapped, &mine->perf);
	assert_int_equal(least.trap_data, 77);
	least_end(&least);
}

static void test_trap_of_other(void **state)
{
	switch_with_trap(true);
}

static void test_trap_to_idle(void **state)
{
	switch_with_trap(false);
}

/* The interrupt came late, in the kernel: its address is nothing for the task. */
static void test_trap_address(void **state)
{
	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	must_open(&least, attr_trap(), least.tasks[0], -1, -1);
	least_count(&least, 0, 100);
	least_overflow(&least, 0, &in_kernel);
	least_tick(&least);
	assert_int_equal(least.trap_addr >> 63, 0);
	least_end(&least);
}

/* The task opens the event on itself. */
static int open_trap(struct least_task *task)
{
	const struct perf_event_attr attr = attr_trap();

	return least_open(&least, task, &attr, sizeof(attr), 0, -1, -1, 0);
}

static void overflow_when_stopped(struct least *host, enum least_point point,
				  const volatile void *what)
{
	const struct tally_core_hw *hw = (const struct tally_core_hw *)what;

	if (point == LEAST_AT_STOP && hw->attr->sigtrap)
		least_overflow(host, 0, &in_user);
}

/* The interrupt comes while the CPU goes over to somebody else, or to nobody: the trap is for who
 * left, and waits until it runs again, wherever that is. */
static void test_trap_of_who_left(void **state)
{
	for (unsigned other = 0; other < 2; other++) {
		struct least_task *task, *next;

		least_test_begin(&least, 2, NULL);
		task = least.tasks[0];
		next = other ? least_task_new(&least) : NULL;
		least_switch(&least, task);
		assert_true(open_trap(task) >= 0);
		least_count(&least, 0, 100);
		least.at = overflow_when_stopped;
		least_switch(&least, next);
		least.at = NULL;
		assert_int_equal(least.traps, 0);
		least_tick(&least);
		assert_int_equal(least.traps, 0);
		least_on(&least, 1);
		least_switch(&least, task);
		assert_int_equal(least.traps, 1);
		assert_ptr_equal(least.trapped, &task->perf);
		assert_int_equal(least.trap_addr, 0xdead);
		assert_int_equal(least.trap_data, 77);
		least_switch(&least, NULL);
		least_switch(&least, task);
		assert_int_equal(least.traps, 1);
		least_end(&least);
	}
}

/* The event is closed, or its task ends, while a trap is due: nobody gets it. */
static void test_trap_dropped(void **state)
{
	for (unsigned exits = 0; exits < 2; exits++) {
		struct least_task *task;
		int fd;

		least_test_begin(&least, 1, NULL);
		task = least_task_new(&least);
		least_switch(&least, task);
		fd = open_trap(task);
		least_count(&least, 0, 100);
		least.at = overflow_when_stopped;
		least_switch(&least, NULL);
		least.at = NULL;
		if (exits) {
			least_exit(&least, task);
		} else {
			least_close(&least, fd);
			least_switch(&least, task);
		}
		assert_int_equal(least.traps, 0);
		least_end(&least);
	}
}

/* The counter skids into the kernel: where the kernel was is not told to who excludes it. */
static void test_trap_without_address(void **state)
{
	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	assert_true(open_trap(least.tasks[0]) >= 0);
	least_count(&least, 0, 100);
	least_overflow(&least, 0, &in_kernel);
	assert_int_equal(least.traps, 1);
	assert_int_equal(least.trap_addr, 0);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trap_of_other), cmocka_unit_test(test_trap_to_idle),
		cmocka_unit_test(test_trap_address),  cmocka_unit_test(test_trap_of_who_left),
		cmocka_unit_test(test_trap_dropped),  cmocka_unit_test(test_trap_without_address),
	};

	return cmocka_run_group_tests_name("core/least_trap", tests, NULL, NULL);
}
