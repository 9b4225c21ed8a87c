/* SPDX-License-Identifier: BSD-2-Clause */
/* Twins: tasks that inherited the same events change places cheaply; nobody's counts are lost or
 * become another's. */
#include "plays.h"

static struct perf_event_attr attr_inherit(unsigned signal)
{
	struct perf_event_attr attr = attr_hw(signal);

	attr.inherit = 1;
	return attr;
}

/* One of them becomes unlike the others while they take turns. */
static void test_twins(void **state)
{
	static const struct tally_sim_step brief[] = {SIM_LOOP(40),
						      SIM_RUN(SIM_USER, 60 * US, &scene_busy),
						      SIM_YIELD(), SIM_END_LOOP(), SIM_EXIT()};
	static const struct tally_sim_step parent[] = {SIM_CLONE(brief),
						       SIM_CLONE(brief),
						       SIM_FORK(brief),
						       SIM_LOOP(40),
						       SIM_RUN(SIM_USER, 40 * US, &scene_calm),
						       SIM_YIELD(),
						       SIM_END_LOOP(),
						       SIM_EXIT()};
	struct tally_sim_config config = {.pmus = &scene_pmu, .nr_pmus = 1, .quantum_ns = 25 * US};
	struct scene scene;
	struct tally_sim_task *task, *other;
	uint64_t before;
	int whole, own;

	scene_begin(&scene, 1, &config);
	task = scene_spawn(&scene, parent, 0);
	whole = scene_open(&scene, attr_inherit(SIM_CYCLES), task, -1, -1);
	tally_sim_run(scene.sim, MS);
	/* From here on one of them is not a twin any more. */
	other = tally_sim_task_at(scene.sim, 2);
	before = truth(&scene, other, 0, SIM_INSTRUCTIONS);
	own = scene_open(&scene, attr_hw(SIM_INSTRUCTIONS), other, -1, -1);
	for (unsigned i = 0; i < 200; i++) {
		tally_sim_run(scene.sim, 77 * US);
		assert_int_equal(scene_value(&scene, whole), truth_tree(&scene, task, SIM_CYCLES));
		assert_int_equal(scene_value(&scene, own),
				 truth(&scene, other, 0, SIM_INSTRUCTIONS) - before);
	}
	scene_end(&scene);
}

static const struct tally_sim_step twin[] = {SIM_LOOP(60), SIM_RUN(SIM_USER, 9 * US, &scene_busy),
					     SIM_YIELD(), SIM_END_LOOP(), SIM_EXIT()};

/* Looked like twins, and are none: threads have an event that processes have not. */
static void test_unlike_by_kind(void **state)
{
	static const struct tally_sim_step parent[] = {SIM_RUN(SIM_USER, 10 * US, &scene_busy),
						       SIM_CLONE(twin),
						       SIM_FORK(twin),
						       SIM_CLONE(twin),
						       SIM_FORK(twin),
						       SIM_EXIT()};
	struct perf_event_attr attr = attr_inherit(SIM_CYCLES);
	struct scene scene;
	struct tally_sim_task *task;
	int all, threads;

	attr.inherit_thread = 1;
	scene_begin(&scene, 1, NULL);
	task = scene_spawn(&scene, parent, 0);
	all = scene_open(&scene, attr_inherit(SIM_CYCLES), task, -1, -1);
	threads = scene_open(&scene, attr, task, -1, -1);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t cycles = 0;

		tally_sim_run(scene.sim, 31 * US);
		for (size_t j = 0; tally_sim_task_at(scene.sim, j); j++) {
			const struct tally_sim_task *other = tally_sim_task_at(scene.sim, j);

			if (tally_sim_task_pid(other) == tally_sim_task_pid(task))
				cycles += truth(&scene, other, 0, SIM_CYCLES);
		}
		assert_int_equal(scene_value(&scene, all), truth_tree(&scene, task, SIM_CYCLES));
		assert_int_equal(scene_value(&scene, threads), cycles);
	}
	scene_end(&scene);
}

/* Nor are those between whose births the parent got another event. */
static void test_unlike_by_age(void **state)
{
	static const struct tally_sim_step fork = SIM_FORK(twin);
	struct scene scene;
	struct tally_sim_task *task, *younger[2];
	int all, late;

	scene_begin(&scene, 1, NULL);
	task = scene_spawn(&scene, play_worker, 0);
	all = scene_open(&scene, attr_inherit(SIM_CYCLES), task, -1, -1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(tally_sim_do(scene.sim, task, &fork), 0);
	late = scene_open(&scene, attr_inherit(SIM_INSTRUCTIONS), task, -1, -1);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(tally_sim_do(scene.sim, task, &fork), 0);
		younger[i] = tally_sim_task_at(scene.sim, 4 + i);
	}
	for (unsigned i = 0; i < 100; i++) {
		tally_sim_run(scene.sim, 29 * US);
		assert_int_equal(scene_value(&scene, all), truth_tree(&scene, task, SIM_CYCLES));
		assert_int_equal(scene_value(&scene, late),
				 truth(&scene, task, 0, SIM_INSTRUCTIONS) +
					 truth(&scene, younger[0], 0, SIM_INSTRUCTIONS) +
					 truth(&scene, younger[1], 0, SIM_INSTRUCTIONS));
	}
	scene_end(&scene);
}

/* Twins that have changed places end, exec and are watched one by one like all others. */
static void test_twins_part(void **state)
{
	static const struct tally_sim_step fork = SIM_FORK(twin), exit = SIM_EXIT();
	struct scene scene;
	struct tally_sim_task *task, *twins[4];
	uint64_t before[4];
	int all, own[4];

	scene_begin(&scene, 2, NULL);
	task = scene_spawn(&scene, play_worker, 1);
	all = scene_open(&scene, attr_inherit(SIM_CYCLES), task, -1, -1);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(tally_sim_do(scene.sim, task, &fork), 0);
		twins[i] = tally_sim_task_at(scene.sim, 2 + i);
	}
	tally_sim_run(scene.sim, 100 * US);
	for (unsigned i = 0; i < 4; i++) {
		tally_sim_run(scene.sim, 50 * US);
		before[i] = truth(&scene, twins[i], 0, SIM_BRANCHES);
		own[i] = scene_open(&scene, attr_hw(SIM_BRANCHES), twins[i], -1, -1);
	}
	for (unsigned i = 0; i < 4; i++) {
		tally_sim_run(scene.sim, 150 * US);
		assert_int_equal(tally_sim_do(scene.sim, twins[(i + 2) % 4], &exit), 0);
		assert_int_equal(scene_value(&scene, all), truth_tree(&scene, task, SIM_CYCLES));
		for (unsigned j = 0; j < 4; j++)
			assert_int_equal(scene_value(&scene, own[j]),
					 truth(&scene, twins[j], 0, SIM_BRANCHES) - before[j]);
	}
	scene_end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_twins),
		cmocka_unit_test(test_unlike_by_kind),
		cmocka_unit_test(test_unlike_by_age),
		cmocka_unit_test(test_twins_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
