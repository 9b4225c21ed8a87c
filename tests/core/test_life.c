/* SPDX-License-Identifier: BSD-2-Clause */
/* Events and the lives of tasks and CPUs: exec, prctl, traps, ends, CPUs that go and come. */
#include "plays.h"

static const struct tally_sim_step execs[] = {SIM_RUN(SIM_USER, 100 * US, &scene_busy),
					      SIM_EXEC("other"),
					      SIM_RUN(SIM_USER, 50 * US, &scene_busy), SIM_EXIT()};

/* enable_on_exec: what comes after, and not what came before. */
static void test_enable_on_exec(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct scene scene;
	int fd;

	attr.disabled = attr.enable_on_exec = 1;
	scene_begin(&scene, 1, NULL);
	fd = scene_open(&scene, attr, scene_spawn(&scene, execs, 0), -1, -1);
	tally_sim_run(scene.sim, MS);
	assert_int_equal(scene_value(&scene, fd), 3 * 50 * US);
	assert_int_equal(scene_read(&scene, fd).enabled, 50 * US);
	scene_end(&scene);
}

/* One of several children execs: it is counted from there, its twins are not. */
static void test_exec_of_one(void **state)
{
	static const struct tally_sim_step twin[] = {SIM_LOOP(100),
						     SIM_RUN(SIM_USER, 7 * US, &scene_busy),
						     SIM_YIELD(), SIM_END_LOOP(), SIM_EXIT()};
	static const struct tally_sim_step execs_too[] = {SIM_LOOP(10),
							  SIM_RUN(SIM_USER, 7 * US, &scene_busy),
							  SIM_YIELD(),
							  SIM_END_LOOP(),
							  SIM_EXEC("other"),
							  SIM_LOOP(50),
							  SIM_RUN(SIM_USER, 5 * US, &scene_busy),
							  SIM_YIELD(),
							  SIM_END_LOOP(),
							  SIM_EXIT()};
	static const struct tally_sim_step parent[] = {SIM_RUN(SIM_USER, 10 * US, &scene_busy),
						       SIM_FORK(twin), SIM_FORK(execs_too),
						       SIM_FORK(twin), SIM_EXIT()};
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct scene scene;
	int fd;

	attr.disabled = attr.enable_on_exec = attr.inherit = 1;
	scene_begin(&scene, 1, NULL);
	fd = scene_open(&scene, attr, scene_spawn(&scene, parent, 0), -1, -1);
	tally_sim_run(scene.sim, 10 * MS);
	assert_int_equal(scene_value(&scene, fd), 3 * 50 * 5 * US);
	assert_int_equal(scene_read(&scene, fd).enabled, 50 * 5 * US);
	scene_end(&scene);
}

/* remove_on_exec: the other way round. */
static void test_remove_on_exec(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct scene scene;
	int fd;

	attr.remove_on_exec = 1;
	scene_begin(&scene, 1, NULL);
	fd = scene_open(&scene, attr, scene_spawn(&scene, execs, 0), -1, -1);
	tally_sim_run(scene.sim, 120 * US);
	assert_int_equal(scene_value(&scene, fd), 3 * 100 * US);
	assert_true(tally_sim_poll(scene.sim, scene.observer, fd) & TALLY_CORE_POLLHUP);
	scene_end(&scene);
}

/* prctl: the events that the task opened, on itself and on others; not those of others on it. */
static void test_prctl(void **state)
{
	struct scene scene;
	struct tally_sim_task *task, *other;
	uint64_t words[5], before;
	int own, foreign, watching;

	scene_begin(&scene, 2, NULL);
	task = scene_spawn(&scene, play_hog, 0);
	other = scene_spawn(&scene, play_hog, 1);
	tally_core_settings(tally_sim_core(scene.sim))->paranoid = 1;
	own = scene_try(&scene, task, attr_hw(SIM_CYCLES), 0, -1, -1);
	foreign = scene_try(&scene, task, attr_hw(SIM_CYCLES), tally_sim_task_tid(other), -1, -1);
	watching = scene_open(&scene, attr_hw(SIM_CYCLES), task, -1, -1);
	assert_true(own >= 0 && foreign >= 0);
	tally_sim_run(scene.sim, MS);
	assert_int_equal(tally_sim_prctl(scene.sim, task, TALLY_CORE_PRCTL_DISABLE), 0);
	tally_sim_run(scene.sim, MS);
	assert_int_equal(tally_sim_read(scene.sim, task, own, words, 40), 40);
	assert_int_equal(words[0], 3 * MS);
	assert_int_equal(tally_sim_read(scene.sim, task, foreign, words, 40), 40);
	assert_int_equal(words[0], 3 * MS);
	assert_int_equal(scene_value(&scene, watching), 6 * MS);
	before = words[0];
	assert_int_equal(tally_sim_prctl(scene.sim, task, TALLY_CORE_PRCTL_ENABLE), 0);
	tally_sim_run(scene.sim, MS);
	assert_int_equal(tally_sim_read(scene.sim, task, own, words, 40), 40);
	assert_int_equal(words[0], before + 3 * MS);
	assert_int_equal(tally_sim_prctl(scene.sim, task, 1), -EINVAL);
	scene_end(&scene);
}

/* sigtrap: a signal at each overflow, with what the attr says it should carry. */
static void test_sigtrap(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct scene scene;
	struct tally_sim_task *task;
	struct tally_sim_signals signals;

	attr.sample_period = 30000;
	attr.sigtrap = attr.remove_on_exec = attr.exclude_kernel = 1;
	attr.sig_data = 0x1122334455667788;
	scene_begin(&scene, 1, NULL);
	task = scene_spawn(&scene, play_hog, 0);
	assert_true(scene_try(&scene, task, attr, 0, -1, -1) >= 0);
	tally_sim_run(scene.sim, MS);
	signals = tally_sim_task_signals(task);
	assert_int_equal(signals.traps, 100);
	assert_true(signals.trap_data == attr.sig_data);
	assert_int_equal(signals.trap_type, attr.type);
	scene_end(&scene);
}

/* The end of a task: the count stays, poll hangs up. */
static void test_end(void **state)
{
	struct scene scene;
	struct tally_sim_task *task;
	int fds[2];

	scene_begin(&scene, 1, NULL);
	task = scene_spawn(&scene, execs, 0);
	fds[0] = scene_open(&scene, attr_hw(SIM_CYCLES), task, -1, -1);
	fds[1] = scene_open(&scene, attr_hw(SIM_BRANCHES), task, -1, fds[0]);
	tally_sim_run(scene.sim, MS);
	assert_true(tally_sim_task_exited(task));
	assert_int_equal(scene_value(&scene, fds[0]), 450 * US);
	assert_int_equal(scene_value(&scene, fds[1]), truth(&scene, task, 0, SIM_BRANCHES));
	assert_true(tally_sim_poll(scene.sim, scene.observer, fds[0]) & TALLY_CORE_POLLHUP);
	tally_sim_ioctl(scene.sim, scene.observer, fds[0], PERF_EVENT_IOC_ENABLE, 0);
	tally_sim_run(scene.sim, MS);
	assert_int_equal(scene_value(&scene, fds[0]), 450 * US);
	scene_end(&scene);
}

/* A CPU goes: its events keep their counts; tasks go on elsewhere, and so do theirs. It comes
 * back: they count again. */
static void test_hotplug(void **state)
{
	struct scene scene;
	struct tally_sim_task *task;
	uint64_t value;
	int cpu, fd, group;

	scene_begin(&scene, 2, NULL);
	task = scene_spawn(&scene, play_hog, 1);
	cpu = scene_open(&scene, attr_hw(SIM_CYCLES), NULL, 1, -1);
	group = scene_open(&scene, attr_hw(SIM_BRANCHES), NULL, 1, cpu);
	fd = scene_open(&scene, attr_hw(SIM_CYCLES), task, -1, -1);
	tally_sim_run(scene.sim, MS);
	assert_int_equal(tally_sim_cpu_offline(scene.sim, 1), 0);
	value = scene_value(&scene, cpu);
	assert_int_equal(value, 3 * MS);
	tally_sim_run(scene.sim, MS);
	assert_int_equal(scene_value(&scene, cpu), value);
	assert_int_equal(scene_value(&scene, fd), 6 * MS);
	scene_disable(&scene, cpu);
	scene_enable(&scene, cpu);
	assert_int_equal(tally_sim_cpu_online(scene.sim, 1), 0);
	assert_int_equal(tally_sim_do(scene.sim, task, &(struct tally_sim_step)SIM_MIGRATE(1)), 0);
	tally_sim_run(scene.sim, MS);
	assert_int_equal(scene_value(&scene, cpu), 6 * MS);
	assert_int_equal(scene_value(&scene, group), truth_cpu(&scene, 1, SIM_BRANCHES));
	assert_int_equal(scene_value(&scene, fd), 9 * MS);
	tally_sim_cpu_offline(scene.sim, 1);
	scene_close(&scene, group);
	scene_close(&scene, cpu);
	scene_end(&scene);
}

/* Rivals on two CPUs while one of them goes and comes: no count is lost. */
static void test_hotplug_often(void **state)
{
	struct scene scene;
	struct tally_sim_task *tasks[6];
	int fds[6], cpus[2];

	scene_begin(&scene, 2, NULL);
	for (unsigned i = 0; i < 6; i++) {
		tasks[i] = scene_spawn(&scene, i & 1 ? play_hog : play_worker, i & 1);
		fds[i] = scene_open(&scene, attr_hw(SIM_INSTRUCTIONS), tasks[i], -1, -1);
	}
	for (int32_t i = 0; i < 2; i++)
		cpus[i] = scene_open(&scene, attr_hw(SIM_CYCLES), NULL, i, -1);
	for (unsigned i = 0; i < 60; i++) {
		tally_sim_run(scene.sim, 777 * US);
		if (i % 3 == 0)
			assert_int_equal(tally_sim_cpu_offline(scene.sim, i & 1), 0);
		if (i % 3 == 2)
			assert_int_equal(tally_sim_cpu_online(scene.sim, (i - 2) & 1), 0);
		for (unsigned j = 0; j < 6; j++)
			assert_int_equal(scene_value(&scene, fds[j]),
					 truth(&scene, tasks[j], 0, SIM_INSTRUCTIONS));
		for (uint32_t j = 0; j < 2; j++)
			assert_int_equal(scene_value(&scene, cpus[j]),
					 truth_cpu(&scene, j, SIM_CYCLES));
	}
	scene_end(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enable_on_exec), cmocka_unit_test(test_exec_of_one),
		cmocka_unit_test(test_remove_on_exec), cmocka_unit_test(test_prctl),
		cmocka_unit_test(test_sigtrap),        cmocka_unit_test(test_end),
		cmocka_unit_test(test_hotplug),        cmocka_unit_test(test_hotplug_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
