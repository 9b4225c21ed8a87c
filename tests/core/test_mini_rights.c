/* SPDX-License-Identifier: BSD-2-Clause */
/* Permission to observe a task, and privileged exec, which revokes this permission. */
#include "core/mini_test.h"
#include "core/core_private.h"

static struct mini mini;

/* The host has no may_observe(), so the core compares users. Two tasks without a user are not
 * considered to have the same user. */
static void without_users_a_task_observes_only_itself(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_host_ops ops = mini_ops;
	struct mini_task *other;

	mini_test_begin(&mini, 1, NULL);
	ops.may_observe = NULL;
	mini.core->ops = &ops;
	other = mini_task_new(&mini);
	attr.exclude_kernel = 1;
	mini.caps = 0;
	assert_true(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), other->perf.tid, -1, -1,
			      0) >= 0);
	other->perf.user = mini.tasks[0]->perf.user = NULL;
	assert_int_equal(
		mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), other->perf.tid, -1, -1, 0),
		-EACCES);
	assert_true(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), 0, -1, -1, 0) >= 0);
	mini.core->ops = &mini_ops;
	mini_end(&mini);
}

static struct mini_task *victim;

/* The exec takes place after the call to may_observe(), but before the event is installed. */
static void exec_in_between(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (!victim || where->off || where->nr_held || !where->nr_ops[MINI_OP_MAY_OBSERVE])
		return;
	where->may_observe = false;
	where->cpu = 1;
	tally_core_exec(where->core, &victim->perf, true);
	where->cpu = 0;
	victim = NULL;
}

static void a_privileged_exec_during_open_refuses_the_event(void **state)
{
	struct perf_event_attr attr = attr_faults(0);

	mini_test_begin(&mini, 2, NULL);
	victim = mini_task_new(&mini);
	attr.exclude_kernel = 1;
	mini_on(&mini, 1);
	mini_switch(&mini, victim);
	mini_on(&mini, 0);
	mini_switch(&mini, mini.tasks[0]);
	mini.caps = 0;
	mini.nr_ops[MINI_OP_MAY_OBSERVE] = 0;
	mini.at = exec_in_between;
	assert_int_equal(
		mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), victim->perf.tid, -1, -1, 0),
		-EACCES);
	assert_null(victim);
	mini.at = NULL;
	mini_end(&mini);
}

static void the_kernel_observes_a_task_after_a_privileged_exec(void **state)
{
	const struct perf_event_attr attr = attr_faults(0);
	struct tally_core_event_setup setup = {.cpu = -1};
	struct tally_core_event *event;

	mini_test_begin(&mini, 1, NULL);
	mini_switch(&mini, mini.tasks[0]);
	setup.task = &mini.tasks[0]->perf;
	mini_exec(&mini, mini.tasks[0], true);
	assert_int_equal(tally_core_event_create(mini.core, &attr, &setup, &event, NULL), 0);
	tally_core_close(mini.core, event);
	mini_end(&mini);
}

/* The count remains readable. */
static void a_privileged_exec_detaches_events_of_others(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	int fd;

	mini_test_begin_running(&mini);
	fd = must_open(&mini, attr, mini.tasks[1], -1, -1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 3);
	mini_exec(&mini, mini.tasks[1], true);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 5);
	assert_int_equal(value_of(&mini, fd), 3);
	assert_int_equal(mini_poll(&mini, fd), TALLY_CORE_POLLHUP);
	assert_true(mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), mini.tasks[1]->perf.tid,
			      -1, fd, 0) < 0);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_users_a_task_observes_only_itself),
		cmocka_unit_test(a_privileged_exec_during_open_refuses_the_event),
		cmocka_unit_test(the_kernel_observes_a_task_after_a_privileged_exec),
		cmocka_unit_test(a_privileged_exec_detaches_events_of_others),
	};

	return cmocka_run_group_tests_name("core/minimal_rights", tests, NULL, NULL);
}
