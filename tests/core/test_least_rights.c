/* SPDX-License-Identifier: BSD-2-Clause */
/* The right to observe a task, and privileged exec, which revokes it. */
#include "core/least_test.h"
#include "core/private.h"

static struct least least;

/* The host has no may_observe(), so the core compares users. Tasks without a user do not have the
 * same user. */
static void without_users_a_task_observes_only_itself(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_host_ops ops = least_ops;
	struct least_task *other;

	least_test_begin(&least, 1, NULL);
	ops.may_observe = NULL;
	least.core->ops = &ops;
	other = least_task_new(&least);
	attr.exclude_kernel = 1;
	least.caps = 0;
	assert_true(least_open(&least, least.tasks[0], &attr, sizeof(attr), other->perf.tid, -1, -1,
			       0) >= 0);
	other->perf.user = least.tasks[0]->perf.user = NULL;
	assert_int_equal(
		least_open(&least, least.tasks[0], &attr, sizeof(attr), other->perf.tid, -1, -1, 0),
		-EACCES);
	assert_true(least_open(&least, least.tasks[0], &attr, sizeof(attr), 0, -1, -1, 0) >= 0);
	least.core->ops = &least_ops;
	least_end(&least);
}

static struct least_task *victim;

/* The exec happens after the call of may_observe() and before the event is installed. */
static void exec_in_between(struct least *where, enum least_point point, const volatile void *what)
{
	if (!victim || where->off || where->nr_held || !where->nr_ops[LEAST_OP_MAY_OBSERVE])
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

	least_test_begin(&least, 2, NULL);
	victim = least_task_new(&least);
	attr.exclude_kernel = 1;
	least_on(&least, 1);
	least_switch(&least, victim);
	least_on(&least, 0);
	least_switch(&least, least.tasks[0]);
	least.caps = 0;
	least.nr_ops[LEAST_OP_MAY_OBSERVE] = 0;
	least.at = exec_in_between;
	assert_int_equal(least_open(&least, least.tasks[0], &attr, sizeof(attr), victim->perf.tid,
				    -1, -1, 0),
			 -EACCES);
	assert_null(victim);
	least.at = NULL;
	least_end(&least);
}

static void the_kernel_observes_a_task_after_a_privileged_exec(void **state)
{
	const struct perf_event_attr attr = attr_faults(0);
	struct tally_core_event_setup setup = {.cpu = -1};
	struct tally_core_event *event;

	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	setup.task = &least.tasks[0]->perf;
	least_exec(&least, least.tasks[0], true);
	assert_int_equal(tally_core_event_create(least.core, &attr, &setup, &event, NULL), 0);
	tally_core_close(least.core, event);
	least_end(&least);
}

/* The count can still be read. */
static void a_privileged_exec_detaches_events_of_others(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	int fd;

	least_test_begin_running(&least);
	fd = must_open(&least, attr, least.tasks[1], -1, -1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 3);
	least_exec(&least, least.tasks[1], true);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 5);
	assert_int_equal(value_of(&least, fd), 3);
	assert_int_equal(least_poll(&least, fd), TALLY_CORE_POLLHUP);
	assert_true(least_open(&least, least.tasks[0], &attr, sizeof(attr),
			       least.tasks[1]->perf.tid, -1, fd, 0) < 0);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_users_a_task_observes_only_itself),
		cmocka_unit_test(a_privileged_exec_during_open_refuses_the_event),
		cmocka_unit_test(the_kernel_observes_a_task_after_a_privileged_exec),
		cmocka_unit_test(a_privileged_exec_detaches_events_of_others),
	};

	return cmocka_run_group_tests_name("core/least_rights", tests, NULL, NULL);
}
