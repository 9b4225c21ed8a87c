/* SPDX-License-Identifier: BSD-2-Clause */
/* Clones: tasks that inherited the same events swap their contexts on a context switch. No count is
 * lost or attributed to another task. */
#include "scripts.h"

static struct perf_event_attr attr_inherit(unsigned signal)
{
	struct perf_event_attr attr = attr_hw(signal);

	attr.inherit = 1;
	return attr;
}

/* While clones alternate on a CPU, one of them gets an event of its own. */
static void a_task_with_another_event_is_not_a_clone(void **state)
{
	static const struct tally_sim_step brief[] = {SIM_LOOP(40),
						      SIM_RUN(SIM_USER, 60 * US, &harness_busy),
						      SIM_YIELD(), SIM_END_LOOP(), SIM_EXIT()};
	static const struct tally_sim_step parent[] = {SIM_CLONE(brief),
						       SIM_CLONE(brief),
						       SIM_FORK(brief),
						       SIM_LOOP(40),
						       SIM_RUN(SIM_USER, 40 * US, &harness_calm),
						       SIM_YIELD(),
						       SIM_END_LOOP(),
						       SIM_EXIT()};
	struct tally_sim_config config = {
		.pmus = &harness_pmu, .nr_pmus = 1, .quantum_ns = 25 * US};
	struct harness harness;
	struct tally_sim_task *task, *other;
	uint64_t before;
	int whole, own;

	harness_begin(&harness, 1, &config);
	task = harness_spawn(&harness, parent, 0);
	whole = harness_open(&harness, attr_inherit(SIM_CYCLES), task, -1, -1);
	tally_sim_run(harness.sim, MS);
	/* From here on, one of the tasks is no longer a clone. */
	other = tally_sim_task_at(harness.sim, 2);
	before = truth(&harness, other, 0, SIM_INSTRUCTIONS);
	own = harness_open(&harness, attr_hw(SIM_INSTRUCTIONS), other, -1, -1);
	for (unsigned i = 0; i < 200; i++) {
		tally_sim_run(harness.sim, 77 * US);
		assert_int_equal(harness_value(&harness, whole),
				 truth_tree(&harness, task, SIM_CYCLES));
		assert_int_equal(harness_value(&harness, own),
				 truth(&harness, other, 0, SIM_INSTRUCTIONS) - before);
	}
	harness_end(&harness);
}

static const struct tally_sim_step twin[] = {SIM_LOOP(60), SIM_RUN(SIM_USER, 9 * US, &harness_busy),
					     SIM_YIELD(), SIM_END_LOOP(), SIM_EXIT()};

/* Threads and processes are not clones of each other if threads have an event that processes do not
 * have. */
static void threads_and_processes_are_not_clones(void **state)
{
	static const struct tally_sim_step parent[] = {SIM_RUN(SIM_USER, 10 * US, &harness_busy),
						       SIM_CLONE(twin),
						       SIM_FORK(twin),
						       SIM_CLONE(twin),
						       SIM_FORK(twin),
						       SIM_EXIT()};
	struct perf_event_attr attr = attr_inherit(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	int all, threads;

	attr.inherit_thread = 1;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, parent, 0);
	all = harness_open(&harness, attr_inherit(SIM_CYCLES), task, -1, -1);
	threads = harness_open(&harness, attr, task, -1, -1);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t cycles = 0;

		tally_sim_run(harness.sim, 31 * US);
		for (size_t j = 0; tally_sim_task_at(harness.sim, j); j++) {
			const struct tally_sim_task *other = tally_sim_task_at(harness.sim, j);

			if (tally_sim_task_pid(other) == tally_sim_task_pid(task))
				cycles += truth(&harness, other, 0, SIM_CYCLES);
		}
		assert_int_equal(harness_value(&harness, all),
				 truth_tree(&harness, task, SIM_CYCLES));
		assert_int_equal(harness_value(&harness, threads), cycles);
	}
	harness_end(&harness);
}

/* Children are not clones if the parent got another event between the forks. */
static void children_with_different_events_are_not_clones(void **state)
{
	static const struct tally_sim_step fork = SIM_FORK(twin);
	struct harness harness;
	struct tally_sim_task *task, *younger[2];
	int all, late;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_worker, 0);
	all = harness_open(&harness, attr_inherit(SIM_CYCLES), task, -1, -1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(tally_sim_execute(harness.sim, task, &fork), 0);
	late = harness_open(&harness, attr_inherit(SIM_INSTRUCTIONS), task, -1, -1);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(tally_sim_execute(harness.sim, task, &fork), 0);
		younger[i] = tally_sim_task_at(harness.sim, 4 + i);
	}
	for (unsigned i = 0; i < 100; i++) {
		tally_sim_run(harness.sim, 29 * US);
		assert_int_equal(harness_value(&harness, all),
				 truth_tree(&harness, task, SIM_CYCLES));
		assert_int_equal(harness_value(&harness, late),
				 truth(&harness, task, 0, SIM_INSTRUCTIONS) +
					 truth(&harness, younger[0], 0, SIM_INSTRUCTIONS) +
					 truth(&harness, younger[1], 0, SIM_INSTRUCTIONS));
	}
	harness_end(&harness);
}

/* Clones that have swapped contexts can exit, exec and be observed individually, like any other
 * tasks. */
static void swapped_clones_exit_and_exec_individually(void **state)
{
	static const struct tally_sim_step fork = SIM_FORK(twin), exit = SIM_EXIT();
	struct harness harness;
	struct tally_sim_task *task, *twins[4];
	uint64_t before[4];
	int all, own[4];

	harness_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, script_worker, 1);
	all = harness_open(&harness, attr_inherit(SIM_CYCLES), task, -1, -1);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(tally_sim_execute(harness.sim, task, &fork), 0);
		twins[i] = tally_sim_task_at(harness.sim, 2 + i);
	}
	tally_sim_run(harness.sim, 100 * US);
	for (unsigned i = 0; i < 4; i++) {
		tally_sim_run(harness.sim, 50 * US);
		before[i] = truth(&harness, twins[i], 0, SIM_BRANCHES);
		own[i] = harness_open(&harness, attr_hw(SIM_BRANCHES), twins[i], -1, -1);
	}
	for (unsigned i = 0; i < 4; i++) {
		tally_sim_run(harness.sim, 150 * US);
		assert_int_equal(tally_sim_execute(harness.sim, twins[(i + 2) % 4], &exit), 0);
		assert_int_equal(harness_value(&harness, all),
				 truth_tree(&harness, task, SIM_CYCLES));
		for (unsigned j = 0; j < 4; j++)
			assert_int_equal(harness_value(&harness, own[j]),
					 truth(&harness, twins[j], 0, SIM_BRANCHES) - before[j]);
	}
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_with_another_event_is_not_a_clone),
		cmocka_unit_test(threads_and_processes_are_not_clones),
		cmocka_unit_test(children_with_different_events_are_not_clones),
		cmocka_unit_test(swapped_clones_exit_and_exec_individually),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
