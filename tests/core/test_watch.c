/* SPDX-License-Identifier: BSD-2-Clause */
/* Test hooks that check whether a core has events. Nothing may be missed once there is an event. */
#include "hosts/sim/sim_entry.h"
#include "scripts.h"

static const struct tally_sim_step two[] = {SIM_LOOP(0), SIM_RUN(SIM_USER, 70 * US, &harness_busy),
					    SIM_SLEEP(30 * US), SIM_END_LOOP()};

static void start(struct harness *harness)
{
	harness_begin(harness, 2,
		      &(struct tally_sim_config){
			      .pmus = &harness_pmu, .nr_pmus = 1, .says_running = true});
}

static bool is_watched(const struct harness *harness)
{
	return tally_core_is_watched(tally_sim_core(harness->sim));
}

/* The first event is opened on running, waiting and sleeping tasks, and on CPUs. */
static void the_first_event_misses_nothing(void **state)
{
	struct tally_sim_task *tasks[3];
	struct harness harness;

	start(&harness);
	for (int i = 0; i < 3; i++)
		tasks[i] = harness_spawn(&harness, i ? two : script_hog, i & 1);
	for (int round = 0; round < 20; round++) {
		struct tally_sim_task *task = tasks[round % 3];
		bool of_cpu = round % 5 == 4;
		uint32_t cpu = tally_sim_task_cpu(task);
		uint64_t before;
		int fd;

		tally_sim_run(harness.sim, 133 * US);
		assert_false(is_watched(&harness));
		fd = harness_open(&harness, attr_hw(SIM_CYCLES), of_cpu ? NULL : task,
				  of_cpu ? (int32_t)cpu : -1, -1);
		before = of_cpu ? truth_cpu(&harness, cpu, SIM_CYCLES)
				: truth(&harness, task, 0, SIM_CYCLES);
		assert_true(is_watched(&harness));
		tally_sim_run(harness.sim, 500 * US);
		assert_int_equal(harness_value(&harness, fd),
				 (of_cpu ? truth_cpu(&harness, cpu, SIM_CYCLES)
					 : truth(&harness, task, 0, SIM_CYCLES)) -
					 before);
		harness_close(&harness, fd);
		/* A task with a context is watched until it exits, so replace the task with a new
		 * one. */
		if (!of_cpu) {
			const struct tally_sim_step end = SIM_EXIT();

			assert_true(is_watched(&harness));
			assert_int_equal(tally_sim_execute(harness.sim, task, &end), 0);
			tasks[round % 3] =
				harness_spawn(&harness, round % 3 ? two : script_hog, round & 1);
		}
	}
	harness_end(&harness);
}

/* A CPU event's samples identify the running task, even before the first switch. */
static void samples_have_the_running_task(void **state)
{
	struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_CPU_CLOCK);
	struct harness harness;
	struct tally_sim_task *first, *second;
	struct tally_ring *ring;
	struct record record;
	const struct tally_sim_step end = SIM_EXIT();
	int nr = 0;

	start(&harness);
	first = harness_spawn(&harness, script_hog, 0);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(tally_sim_execute(harness.sim, first, &end), 0);
	second = harness_spawn(&harness, script_hog, 0);
	tally_sim_run(harness.sim, MS);
	attr.sample_period = 50 * US;
	attr.sample_type = PERF_SAMPLE_TID;
	ring = harness_map(&harness, harness_open(&harness, attr, NULL, 0, -1), 4);
	tally_sim_run(harness.sim, MS);
	while (harness_record(ring, &attr, &record)) {
		assert_int_equal(record.sample.tid, tally_sim_task_tid(second));
		nr++;
	}
	assert_in_range(nr, 19, 20);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Migrations are counted only after the task has run with an event, because the core does not know
 * where the task ran earlier. */
static void migrations_count_from_the_first_run(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int fd;

	start(&harness);
	task = harness_spawn(&harness, two, 0);
	tally_sim_run(harness.sim, MS);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tally_sim_execute(harness.sim, task,
						   &(struct tally_sim_step)SIM_MIGRATE(!(i & 1))),
				 0);
	tally_sim_run(harness.sim, MS);
	fd = harness_open(&harness, attr_sw(PERF_COUNT_SW_CPU_MIGRATIONS), task, -1, -1);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_value(&harness, fd), 0);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(tally_sim_execute(harness.sim, task,
						   &(struct tally_sim_step)SIM_MIGRATE(i & 1)),
				 0);
		tally_sim_run(harness.sim, MS);
	}
	assert_int_equal(harness_value(&harness, fd), 6);
	harness_end(&harness);
}

/* Report the current switch again, including as a switch from the task to itself. */
static void report_again(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	struct tally_core_task *perf = tally_sim_task_perf(task);

	sim_hook_begin(sim, tally_sim_task_cpu(task));
	for (int i = 0; i < 3; i++)
		tally_core_switch(tally_sim_core(sim), i == 1 ? NULL : perf, perf, i == 2);
	sim_hook_end(sim);
}

static const struct tally_sim_step told_child[] = {
	SIM_LOOP(0), SIM_RUN(SIM_USER, 10 * US, &harness_busy), SIM_CALL(report_again, NULL),
	SIM_YIELD(), SIM_END_LOOP()};
static const struct tally_sim_step told_twice[] = {SIM_FORK(told_child),
						   SIM_FORK(told_child),
						   SIM_LOOP(0),
						   SIM_RUN(SIM_USER, 10 * US, &harness_busy),
						   SIM_CALL(report_again, NULL),
						   SIM_YIELD(),
						   SIM_END_LOOP()};

/* Repeated reports count only once for clones, too, even though clones swap their contexts. */
static void repeated_switch_reports_count_once(void **state)
{
	struct perf_event_attr cycles = attr_hw(SIM_CYCLES),
			       switches = attr_sw(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct harness harness;
	struct tally_sim_task *task;
	int fds[2];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, told_twice, 0);
	cycles.inherit = switches.inherit = 1;
	fds[0] = harness_open(&harness, cycles, task, -1, -1);
	fds[1] = harness_open(&harness, switches, task, -1, -1);
	tally_sim_run(harness.sim, 5 * MS);
	assert_int_equal(harness_value(&harness, fds[0]), truth_tree(&harness, task, SIM_CYCLES));
	assert_int_equal(harness_value(&harness, fds[1]),
			 truth_tree(&harness, task, SIM_SW + PERF_COUNT_SW_CONTEXT_SWITCHES));
	harness_end(&harness);
}

static void a_core_stays_watched_when_children_with_inherited_events_exit(void **state)
{
	static const struct tally_sim_step brief[] = {SIM_RUN(SIM_USER, 10 * US, &harness_busy),
						      SIM_EXIT()};
	static const struct tally_sim_step fork = SIM_FORK(brief);
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct tally_sim_task *task;
	struct harness harness;
	int fd;

	start(&harness);
	attr.inherit = 1;
	task = harness_spawn(&harness, two, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(tally_sim_execute(harness.sim, task, &fork), 0);
		tally_sim_run(harness.sim, MS);
		assert_true(is_watched(&harness));
		assert_int_equal(harness_value(&harness, fd),
				 truth_tree(&harness, task, SIM_CYCLES));
	}
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_event_misses_nothing),
		cmocka_unit_test(samples_have_the_running_task),
		cmocka_unit_test(migrations_count_from_the_first_run),
		cmocka_unit_test(repeated_switch_reports_count_once),
		cmocka_unit_test(a_core_stays_watched_when_children_with_inherited_events_exit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
