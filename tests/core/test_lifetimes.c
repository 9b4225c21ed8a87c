/* SPDX-License-Identifier: BSD-2-Clause */
/* Check how exec, prctl, traps, exit and CPU hotplug affect events. */
#include "scripts.h"

static const struct tally_sim_step execs[] = {
	SIM_RUN(SIM_USER, 100 * US, &harness_busy), SIM_EXEC("other"),
	SIM_RUN(SIM_USER, 50 * US, &harness_busy), SIM_EXIT()};

/* With enable_on_exec, only what happens after the exec is counted. */
static void only_time_after_exec_is_counted(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;
	int fd;

	attr.disabled = attr.enable_on_exec = 1;
	harness_begin(&harness, 1, NULL);
	fd = harness_open(&harness, attr, harness_spawn(&harness, execs, 0), -1, -1);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_value(&harness, fd), 3 * 50 * US);
	assert_int_equal(harness_read(&harness, fd).enabled, 50 * US);
	harness_end(&harness);
}

/* One of several children calls exec, and is counted from then on. Its siblings are not counted. */
static void only_the_child_that_execs_is_counted(void **state)
{
	static const struct tally_sim_step twin[] = {SIM_LOOP(100),
						     SIM_RUN(SIM_USER, 7 * US, &harness_busy),
						     SIM_YIELD(), SIM_END_LOOP(), SIM_EXIT()};
	static const struct tally_sim_step execs_too[] = {SIM_LOOP(10),
							  SIM_RUN(SIM_USER, 7 * US, &harness_busy),
							  SIM_YIELD(),
							  SIM_END_LOOP(),
							  SIM_EXEC("other"),
							  SIM_LOOP(50),
							  SIM_RUN(SIM_USER, 5 * US, &harness_busy),
							  SIM_YIELD(),
							  SIM_END_LOOP(),
							  SIM_EXIT()};
	static const struct tally_sim_step parent[] = {SIM_RUN(SIM_USER, 10 * US, &harness_busy),
						       SIM_FORK(twin), SIM_FORK(execs_too),
						       SIM_FORK(twin), SIM_EXIT()};
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;
	int fd;

	attr.disabled = attr.enable_on_exec = attr.inherit = 1;
	harness_begin(&harness, 1, NULL);
	fd = harness_open(&harness, attr, harness_spawn(&harness, parent, 0), -1, -1);
	tally_sim_run(harness.sim, 10 * MS);
	assert_int_equal(harness_value(&harness, fd), 3 * 50 * 5 * US);
	assert_int_equal(harness_read(&harness, fd).enabled, 50 * 5 * US);
	harness_end(&harness);
}

/* With remove_on_exec, only what happens before the exec is counted. */
static void only_time_before_exec_is_counted(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;
	int fd;

	attr.remove_on_exec = 1;
	harness_begin(&harness, 1, NULL);
	fd = harness_open(&harness, attr, harness_spawn(&harness, execs, 0), -1, -1);
	tally_sim_run(harness.sim, 120 * US);
	assert_int_equal(harness_value(&harness, fd), 3 * 100 * US);
	assert_true(tally_sim_poll(harness.sim, harness.observer, fd) & TALLY_CORE_POLLHUP);
	harness_end(&harness);
}

/* prctl() affects the events that the task has opened on itself and on other tasks, but not the
 * events that other tasks have opened on it. */
static void prctl_affects_events_that_the_task_opened(void **state)
{
	struct harness harness;
	struct tally_sim_task *task, *other;
	uint64_t words[5], before;
	int own, foreign, watching;

	harness_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	other = harness_spawn(&harness, script_hog, 1);
	tally_core_settings(tally_sim_core(harness.sim))->paranoid = 1;
	own = harness_try(&harness, task, attr_hw(SIM_CYCLES), 0, -1, -1);
	foreign =
		harness_try(&harness, task, attr_hw(SIM_CYCLES), tally_sim_task_tid(other), -1, -1);
	watching = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	assert_true(own >= 0 && foreign >= 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(tally_sim_prctl(harness.sim, task, TALLY_CORE_PRCTL_DISABLE), 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(tally_sim_read(harness.sim, task, own, words, 40), 40);
	assert_int_equal(words[0], 3 * MS);
	assert_int_equal(tally_sim_read(harness.sim, task, foreign, words, 40), 40);
	assert_int_equal(words[0], 3 * MS);
	assert_int_equal(harness_value(&harness, watching), 6 * MS);
	before = words[0];
	assert_int_equal(tally_sim_prctl(harness.sim, task, TALLY_CORE_PRCTL_ENABLE), 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(tally_sim_read(harness.sim, task, own, words, 40), 40);
	assert_int_equal(words[0], before + 3 * MS);
	assert_int_equal(tally_sim_prctl(harness.sim, task, 1), -EINVAL);
	harness_end(&harness);
}

/* With sigtrap, each overflow sends a signal with the data given in the attr. */
static void each_overflow_sends_sigtrap(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_sim_signals signals;

	attr.sample_period = 30000;
	attr.sigtrap = attr.remove_on_exec = attr.exclude_kernel = 1;
	attr.sig_data = 0x1122334455667788;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	assert_true(harness_try(&harness, task, attr, 0, -1, -1) >= 0);
	tally_sim_run(harness.sim, MS);
	signals = tally_sim_task_signals(task);
	assert_int_equal(signals.traps, 100);
	assert_true(signals.trap_data == attr.sig_data);
	assert_int_equal(signals.trap_type, attr.type);
	harness_end(&harness);
}

/* When a task exits, the event's count is preserved, and poll reports a hangup. */
static void a_count_survives_the_exit_of_its_task(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int fds[2];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, execs, 0);
	fds[0] = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	fds[1] = harness_open(&harness, attr_hw(SIM_BRANCHES), task, -1, fds[0]);
	tally_sim_run(harness.sim, MS);
	assert_true(tally_sim_task_exited(task));
	assert_int_equal(harness_value(&harness, fds[0]), 450 * US);
	assert_int_equal(harness_value(&harness, fds[1]), truth(&harness, task, 0, SIM_BRANCHES));
	assert_true(tally_sim_poll(harness.sim, harness.observer, fds[0]) & TALLY_CORE_POLLHUP);
	tally_sim_ioctl(harness.sim, harness.observer, fds[0], PERF_EVENT_IOC_ENABLE, 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_value(&harness, fds[0]), 450 * US);
	harness_end(&harness);
}

/* When a CPU goes offline, its events keep their counts, and tasks continue on other CPUs together
 * with their events. When the CPU comes back online, its events count again. */
static void cpu_events_survive_hotplug(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t value;
	int cpu, fd, group;

	harness_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, script_hog, 1);
	cpu = harness_open(&harness, attr_hw(SIM_CYCLES), NULL, 1, -1);
	group = harness_open(&harness, attr_hw(SIM_BRANCHES), NULL, 1, cpu);
	fd = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(tally_sim_cpu_offline(harness.sim, 1), 0);
	value = harness_value(&harness, cpu);
	assert_int_equal(value, 3 * MS);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_value(&harness, cpu), value);
	assert_int_equal(harness_value(&harness, fd), 6 * MS);
	harness_disable(&harness, cpu);
	harness_enable(&harness, cpu);
	assert_int_equal(tally_sim_cpu_online(harness.sim, 1), 0);
	assert_int_equal(
		tally_sim_execute(harness.sim, task, &(struct tally_sim_step)SIM_MIGRATE(1)), 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_value(&harness, cpu), 6 * MS);
	assert_int_equal(harness_value(&harness, group), truth_cpu(&harness, 1, SIM_BRANCHES));
	assert_int_equal(harness_value(&harness, fd), 9 * MS);
	tally_sim_cpu_offline(harness.sim, 1);
	harness_close(&harness, group);
	harness_close(&harness, cpu);
	harness_end(&harness);
}

/* Events compete on two CPUs while one of the CPUs repeatedly goes offline and comes back. No count
 * is lost. */
static void repeated_hotplug_loses_no_counts(void **state)
{
	struct harness harness;
	struct tally_sim_task *tasks[6];
	int fds[6], cpus[2];

	harness_begin(&harness, 2, NULL);
	for (unsigned i = 0; i < 6; i++) {
		tasks[i] = harness_spawn(&harness, i & 1 ? script_hog : script_worker, i & 1);
		fds[i] = harness_open(&harness, attr_hw(SIM_INSTRUCTIONS), tasks[i], -1, -1);
	}
	for (int32_t i = 0; i < 2; i++)
		cpus[i] = harness_open(&harness, attr_hw(SIM_CYCLES), NULL, i, -1);
	for (unsigned i = 0; i < 60; i++) {
		tally_sim_run(harness.sim, 777 * US);
		if (i % 3 == 0)
			assert_int_equal(tally_sim_cpu_offline(harness.sim, i & 1), 0);
		if (i % 3 == 2)
			assert_int_equal(tally_sim_cpu_online(harness.sim, (i - 2) & 1), 0);
		for (unsigned j = 0; j < 6; j++)
			assert_int_equal(harness_value(&harness, fds[j]),
					 truth(&harness, tasks[j], 0, SIM_INSTRUCTIONS));
		for (uint32_t j = 0; j < 2; j++)
			assert_int_equal(harness_value(&harness, cpus[j]),
					 truth_cpu(&harness, j, SIM_CYCLES));
	}
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_time_after_exec_is_counted),
		cmocka_unit_test(only_the_child_that_execs_is_counted),
		cmocka_unit_test(only_time_before_exec_is_counted),
		cmocka_unit_test(prctl_affects_events_that_the_task_opened),
		cmocka_unit_test(each_overflow_sends_sigtrap),
		cmocka_unit_test(a_count_survives_the_exit_of_its_task),
		cmocka_unit_test(cpu_events_survive_hotplug),
		cmocka_unit_test(repeated_hotplug_loses_no_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
