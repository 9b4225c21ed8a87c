/* SPDX-License-Identifier: BSD-2-Clause */
/* What who does not use the core pays for it, and what many CPUs cost. */
#include "core/review.h"

static struct least least;

enum { CPUS = 256 };

/* Without an event nobody waits for anybody. */
static void test_no_lock(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *parent, *child;

	review_begin(&least, 2, NULL);
	parent = least_task_new(&least);
	must_open(&least, attr, least.tasks[0], -1, -1);
	must_open(&least, attr, NULL, 1, -1);
	least.nr_ops[LEAST_OP_LOCK] = 0;
	least_switch(&least, parent);
	child = least_fork(&least, parent, true);
	least_switch(&least, child);
	least_exec(&least, child, true);
	least_exit(&least, child);
	assert_int_equal(least.nr_ops[LEAST_OP_LOCK], 0);
	least_end(&least);
}

/* Only who may write to a ring is asked whether it still does. */
static void test_calls(void **state)
{
	int fds[CPUS];

	review_begin(&least, CPUS, NULL);
	for (int i = 0; i < CPUS; i++) {
		fds[i] = must_open(&least, attr_faults(1000), NULL, i, -1);
		must_map(&least, fds[i], 1, NULL);
	}
	least.nr_ops[LEAST_OP_CALL] = 0;
	for (int i = 0; i < CPUS; i++)
		least_munmap(&least, fds[i]);
	assert_in_range(least.nr_ops[LEAST_OP_CALL], 0, 2 * CPUS);
	for (int i = 0; i < CPUS; i++)
		least_close(&least, fds[i]);
	assert_in_range(least.nr_ops[LEAST_OP_CALL], 0, 6 * CPUS);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_lock),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests_name("core/review_scale", tests, NULL, NULL);
}
