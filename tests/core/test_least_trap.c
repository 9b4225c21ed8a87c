/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGTRAP of an event: the receiving task, and the reported address. */
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

/* The interrupt occurs while the CPU switches from the event's task to another task or to idle. */
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

static void a_trap_during_a_switch_to_another_task_goes_to_its_own(void **state)
{
	switch_with_trap(true);
}

static void a_trap_during_a_switch_to_idle_goes_to_its_task(void **state)
{
	switch_with_trap(false);
}

/* The interrupt occurs late, in the kernel. Only the sign of the address is checked. */
static void a_late_trap_has_no_kernel_address(void **state)
{
	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	must_open(&least, attr_trap(), least.tasks[0], -1, -1);
	least_count(&least, 0, 100);
	least_overflow(&least, 0, &in_kernel);
	least_tick(&least);
	assert_int_equal(least.traps, 1);
	assert_int_equal(least.trap_addr >> 63, 0);
	least_end(&least);
}

/* Open an event of the task on itself. */
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

/* The interrupt occurs during a switch to another task or to idle. The trap stays pending until its
 * task runs again. */
static void a_trap_follows_its_task_to_another_cpu(void **state)
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

static void a_due_trap_is_dropped_with_its_event_or_task(void **state)
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

/* The counter skids into the kernel, which the event excludes. */
static void a_trap_has_no_address_in_an_excluded_kernel(void **state)
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

/* The interrupt occurs while the events of the task are removed because it exits. */
static void an_overflow_while_its_task_exits_sends_no_trap(void **state)
{
	struct least_task *task;

	least_test_begin(&least, 1, NULL);
	task = least_task_new(&least);
	least_switch(&least, task);
	assert_true(open_trap(task) >= 0);
	least_count(&least, 0, 100);
	overflows = 0;
	least.at = overflow_at_stop;
	least_exit(&least, task);
	least.at = NULL;
	assert_int_equal(overflows, 1);
	assert_int_equal(least.traps, 0);
	least_end(&least);
}

/* CPU 0 ends the task, which runs on CPU 1 and has a pending trap. */
static void a_task_that_was_ended_gets_no_trap(void **state)
{
	struct least_task *task;

	least_test_begin(&least, 2, NULL);
	task = least_task_new(&least);
	least_on(&least, 1);
	least_switch(&least, task);
	assert_true(open_trap(task) >= 0);
	least.hold_deferred = true;
	least_count(&least, 0, 100);
	least_overflow(&least, 0, &in_user);
	least.off++;
	assert_true(tally_core_end(least.core, &task->perf));
	least.off--;
	least.hold_deferred = false;
	least_deferred(&least);
	assert_int_equal(least.traps, 0);
	least_switch(&least, NULL);
	tally_core_reap(least.core);
	assert_int_equal(least.traps, 0);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trap_during_a_switch_to_another_task_goes_to_its_own),
		cmocka_unit_test(a_trap_during_a_switch_to_idle_goes_to_its_task),
		cmocka_unit_test(a_late_trap_has_no_kernel_address),
		cmocka_unit_test(a_trap_follows_its_task_to_another_cpu),
		cmocka_unit_test(a_due_trap_is_dropped_with_its_event_or_task),
		cmocka_unit_test(a_trap_has_no_address_in_an_excluded_kernel),
		cmocka_unit_test(an_overflow_while_its_task_exits_sends_no_trap),
		cmocka_unit_test(a_task_that_was_ended_gets_no_trap),
	};

	return cmocka_run_group_tests_name("core/least_trap", tests, NULL, NULL);
}
