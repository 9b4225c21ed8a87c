/* SPDX-License-Identifier: BSD-2-Clause */
/* What many sampling clocks cost whose order the user chose. */
#include "core/least/step.h"
#include "review.h"

static struct least least;

enum { MS = 1000000 };

/* Software clocks of a task, each due before the one that was opened before it. */
static void open_clocks(const struct least_task *task, int nr)
{
	static int opened;

	for (int i = 0; i < nr; i++) {
		struct perf_event_attr attr = attr_faults((uint64_t)(1000 - opened++) * MS);

		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		must_open(&least, attr, task, -1, -1);
	}
}

/* The instructions of a switch to the task and back. */
static uint64_t switch_cost(struct least_task *task)
{
	least_step_begin(NULL, NULL, 0);
	least_switch(&least, task);
	least_switch(&least, NULL);
	return least_step_end();
}

/* Eight times the clocks cost eight times as much, and a little for the logarithm. */
static void test_order_of_opening(void **state)
{
	struct least_task *task;
	uint64_t few;

	if (!least_can_step())
		skip();
	review_begin(&least, 1, NULL);
	task = least_task_new(&least);
	open_clocks(task, 30);
	few = switch_cost(task);
	open_clocks(task, 210);
	assert_in_range(switch_cost(task), 1, few * 8 * 5 / 4);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_opening),
	};

	return cmocka_run_group_tests_name("core/review_clocks", tests, NULL, NULL);
}
