/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGTRAP from an event: the receiving task and the reported address. */
#include "core/mini_test.h"

static struct mini mini;

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

static void overflow_at_stop(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (point != MINI_AT_STOP || overflows++)
		return;
	mini_count(where, 0, 100);
	mini_overflow(where, 0, &in_kernel);
}

/* The interrupt occurs while the CPU switches from the event's task to another task or to idle. */
static void switch_with_trap(bool to_other)
{
	struct mini_task *mine, *other;

	mini_test_begin(&mini, 1, NULL);
	mine = mini_task_new(&mini);
	other = mini_task_new(&mini);
	mini_switch(&mini, mine);
	must_open(&mini, attr_trap(), mine, -1, -1);
	overflows = 0;
	mini.at = overflow_at_stop;
	mini_switch(&mini, to_other ? other : NULL);
	mini.at = NULL;
	assert_int_equal(overflows, 1);
	assert_true(!mini.traps || mini.trapped == &mine->perf);
	mini_switch(&mini, mine);
	mini_tick(&mini);
	assert_int_equal(mini.traps, 1);
	assert_ptr_equal(mini.trapped, &mine->perf);
	assert_int_equal(mini.trap_data, 77);
	mini_end(&mini);
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
	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	must_open(&mini, attr_trap(), mini.tasks[0], -1, -1);
	mini_count(&mini, 0, 100);
	mini_overflow(&mini, 0, &in_kernel);
	mini_tick(&mini);
	assert_int_equal(mini.traps, 1);
	assert_int_equal(mini.trap_addr >> 63, 0);
	mini_end(&mini);
}

/* Open an event on the calling task itself. */
static int open_trap(struct mini_task *task)
{
	const struct perf_event_attr attr = attr_trap();

	return mini_open(&mini, task, &attr, sizeof(attr), 0, -1, -1, 0);
}

static void overflow_when_stopped(struct mini *host, enum mini_point point,
				  const volatile void *what)
{
	const struct tally_core_hw *hw = (const struct tally_core_hw *)what;

	if (point == MINI_AT_STOP && hw->attr->sigtrap)
		mini_overflow(host, 0, &in_user);
}

/* The interrupt occurs during a switch to another task or to idle. The trap stays pending until its
 * task runs again. */
static void a_trap_follows_its_task_to_another_cpu(void **state)
{
	for (unsigned other = 0; other < 2; other++) {
		struct mini_task *task, *next;

		mini_test_begin(&mini, 2, NULL);
		task = mini.tasks[0];
		next = other ? mini_task_new(&mini) : NULL;
		mini_switch(&mini, task);
		assert_true(open_trap(task) >= 0);
		mini_count(&mini, 0, 100);
		mini.at = overflow_when_stopped;
		mini_switch(&mini, next);
		mini.at = NULL;
		assert_int_equal(mini.traps, 0);
		mini_tick(&mini);
		assert_int_equal(mini.traps, 0);
		mini_on(&mini, 1);
		mini_switch(&mini, task);
		assert_int_equal(mini.traps, 1);
		assert_ptr_equal(mini.trapped, &task->perf);
		assert_int_equal(mini.trap_addr, 0xdead);
		assert_int_equal(mini.trap_data, 77);
		mini_switch(&mini, NULL);
		mini_switch(&mini, task);
		assert_int_equal(mini.traps, 1);
		mini_end(&mini);
	}
}

static void a_due_trap_is_dropped_with_its_event_or_task(void **state)
{
	for (unsigned exits = 0; exits < 2; exits++) {
		struct mini_task *task;
		int fd;

		mini_test_begin(&mini, 1, NULL);
		task = mini_task_new(&mini);
		mini_switch(&mini, task);
		fd = open_trap(task);
		mini_count(&mini, 0, 100);
		mini.at = overflow_when_stopped;
		mini_switch(&mini, NULL);
		mini.at = NULL;
		if (exits) {
			mini_exit(&mini, task);
		} else {
			mini_close(&mini, fd);
			mini_switch(&mini, task);
		}
		assert_int_equal(mini.traps, 0);
		mini_end(&mini);
	}
}

/* The interrupt is late and occurs in the kernel, which the event excludes. */
static void a_trap_has_no_address_in_an_excluded_kernel(void **state)
{
	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	assert_true(open_trap(mini.tasks[0]) >= 0);
	mini_count(&mini, 0, 100);
	mini_overflow(&mini, 0, &in_kernel);
	assert_int_equal(mini.traps, 1);
	assert_int_equal(mini.trap_addr, 0);
	mini_end(&mini);
}

/* The interrupt occurs while the events of an exiting task are being removed. */
static void an_overflow_while_its_task_exits_sends_no_trap(void **state)
{
	struct mini_task *task;

	mini_test_begin(&mini, 1, NULL);
	task = mini_task_new(&mini);
	mini_switch(&mini, task);
	assert_true(open_trap(task) >= 0);
	mini_count(&mini, 0, 100);
	overflows = 0;
	mini.at = overflow_at_stop;
	mini_exit(&mini, task);
	mini.at = NULL;
	assert_int_equal(overflows, 1);
	assert_int_equal(mini.traps, 0);
	mini_end(&mini);
}

/* CPU 0 terminates the task, which runs on CPU 1 and has a pending trap. */
static void a_task_that_was_ended_gets_no_trap(void **state)
{
	struct mini_task *task;

	mini_test_begin(&mini, 2, NULL);
	task = mini_task_new(&mini);
	mini_on(&mini, 1);
	mini_switch(&mini, task);
	assert_true(open_trap(task) >= 0);
	mini.hold_deferred = true;
	mini_count(&mini, 0, 100);
	mini_overflow(&mini, 0, &in_user);
	mini.off++;
	assert_true(tally_core_end(mini.core, &task->perf));
	mini.off--;
	mini.hold_deferred = false;
	mini_deferred(&mini);
	assert_int_equal(mini.traps, 0);
	mini_switch(&mini, NULL);
	tally_core_reap(mini.core);
	assert_int_equal(mini.traps, 0);
	mini_end(&mini);
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

	return cmocka_run_group_tests_name("core/minimal_trap", tests, NULL, NULL);
}
