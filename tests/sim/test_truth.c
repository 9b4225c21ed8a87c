/* SPDX-License-Identifier: BSD-2-Clause */
/* True counts are exact, no matter how often they are read, and are kept per task, CPU and mode. */
#include "../random.h"
#include "test_machine.h"

static const struct tally_sim_rates odd = {
	.per_ms = {[SIM_CYCLES] = 3000000, [SIM_INSTRUCTIONS] = 1234567, [SIM_BRANCHES] = 7}};
static const struct tally_sim_rates rare = {.per_ms = {[SIM_CYCLES] = 2},
					    .per_s = {[SIM_CYCLES] = 999, [SIM_BRANCHES] = 3}};
static const struct tally_sim_rates slow = {.per_ms = {[SIM_CYCLES] = 1}};

/* Fractions of events at the end of a segment carry over to the next one. */
static void fractions_of_events_carry_over(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_LOOP(1000),
		SIM_RUN(SIM_USER, 999, &odd),
		SIM_RUN(SIM_KERNEL, 1, &odd),
		SIM_END_LOOP(),
		SIM_EXIT(),
	};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 1});
	struct tally_sim_task *task = spawn(sim, script, 0);

	tally_sim_run(sim, 2 * MS);
	assert_true(tally_sim_task_exited(task));
	assert_int_equal(truth_of(sim, task, SIM_CYCLES), 3000000);
	assert_int_equal(truth_of(sim, task, SIM_INSTRUCTIONS), 1234567);
	assert_int_equal(truth_of(sim, task, SIM_BRANCHES), 7);
	assert_int_equal(truth_of(sim, task, SIM_NS), MS);
	assert_int_equal(
		tally_sim_truth(sim,
				(struct tally_sim_filter){.task = task, .modes = 1 << SIM_KERNEL},
				SIM_NS),
		1000);
	machine_end(sim);
}

/* Check rates below one per millisecond. */
static void rates_per_second_are_exact(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_LOOP(1000),
		SIM_RUN(SIM_USER, 1000001, &rare),
		SIM_RUN(SIM_USER, 999999, &rare),
		SIM_END_LOOP(),
		SIM_EXIT(),
	};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 1});
	struct tally_sim_task *task = spawn(sim, script, 0);

	tally_sim_run(sim, 2001 * MS);
	assert_true(tally_sim_task_exited(task));
	assert_int_equal(truth_of(sim, task, SIM_CYCLES), 2 * 2000 + 2 * 999);
	assert_int_equal(truth_of(sim, task, SIM_BRANCHES), 2 * 3);
	machine_end(sim);
}

/* Counts do not depend on how often they were read before. */
static void reading_the_truth_changes_nothing(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_LOOP(0),
		SIM_RUN(SIM_USER, 777, &odd),
		SIM_RUN(SIM_KERNEL, 3331, &slow),
		SIM_SLEEP(501),
		SIM_END_LOOP(),
	};
	struct random random = random_start();
	struct tally_sim *once = machine(&(struct tally_sim_config){.nr_cpus = 1});
	struct tally_sim *often = machine(&(struct tally_sim_config){.nr_cpus = 1});

	spawn(once, script, 0);
	spawn(often, script, 0);
	while (tally_sim_now(often) < 3 * MS) {
		tally_sim_run(often, random_below(&random, 1000));
		truth_of(often, NULL, SIM_CYCLES);
	}
	tally_sim_run(once, tally_sim_now(often));
	for (unsigned signal = 0; signal < SIM_NR_SIGNALS; signal++)
		for (unsigned mode = 0; mode < SIM_NR_MODES; mode++) {
			struct tally_sim_filter filter = {.modes = 1u << mode};

			assert_int_equal(tally_sim_truth(once, filter, signal),
					 tally_sim_truth(often, filter, signal));
		}
	machine_end(once);
	machine_end(often);
}

/* A single task gets the whole CPU while it runs, the remaining time is counted as idle, and no
 * time is lost. */
static void idle_has_the_remaining_time(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_RUN(SIM_USER, 300000, &odd),
		SIM_SLEEP(400000),
		SIM_RUN(SIM_HYPERVISOR, 100000, &odd),
		SIM_EXIT(),
	};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 2, .idle = &slow});
	struct tally_sim_task *task = spawn(sim, script, 1);
	struct tally_sim_filter idle = {.modes = 1 << SIM_IDLE, .cpus = 1 << 1};

	tally_sim_run(sim, MS);
	assert_int_equal(truth_of(sim, task, SIM_NS), 400000);
	assert_int_equal(tally_sim_truth(sim, idle, SIM_NS), 600000);
	assert_int_equal(truth_of(sim, NULL, SIM_NS), 2 * MS);
	idle.cpus = 1 << 0;
	assert_int_equal(tally_sim_truth(sim, idle, SIM_CYCLES), 1);
	machine_end(sim);
}

/* The counts of a task tree include all descendants, even those that have exited. */
static void trees_include_exited_descendants(void **state)
{
	static const struct tally_sim_step grandchild[] = {SIM_RUN(SIM_USER, 1000, &odd),
							   SIM_EXIT()};
	static const struct tally_sim_step child[] = {SIM_CLONE(grandchild), SIM_FORK(grandchild),
						      SIM_RUN(SIM_USER, 2000, &odd), SIM_EXIT()};
	static const struct tally_sim_step parent[] = {
		SIM_FORK_TO(child, 1), SIM_RUN(SIM_USER, 4000, &odd), SIM_SLEEP(MS), SIM_EXIT()};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 2});
	struct tally_sim_task *task = spawn(sim, parent, 0), *other = spawn(sim, grandchild, 0);
	struct tally_sim_filter tree = {.task = task, .tree = true};

	tally_sim_run(sim, MS);
	assert_int_equal(tally_sim_truth(sim, tree, SIM_NS), 4000 + 2000 + 2 * 1000);
	assert_int_equal(tally_sim_truth(sim, tree, SIM_CYCLES), 3 * 8000);
	tree.cpus = 1 << 1;
	assert_int_equal(tally_sim_truth(sim, tree, SIM_NS), 4000);
	assert_int_equal(truth_of(sim, task, SIM_NS), 4000);
	assert_int_equal(truth_of(sim, other, SIM_NS), 1000);
	assert_int_equal(tally_sim_task_pid(tally_sim_task_at(sim, 3)),
			 tally_sim_task_pid(tally_sim_task_at(sim, 2)));
	assert_ptr_equal(tally_sim_task_parent(tally_sim_task_at(sim, 4)),
			 tally_sim_task_at(sim, 2));
	machine_end(sim);
}

static void test_software(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_RUN(SIM_USER, 1000, &odd),
		SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 3),
		SIM_STEP(SOFTWARE, .software = {.id = PERF_COUNT_SW_PAGE_FAULTS,
						.nr = 2,
						.mode = SIM_KERNEL,
						.ip = 0x99,
						.addr = 0x77}),
		SIM_EXIT(),
	};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 1});
	struct tally_sim_task *task = spawn(sim, script, 0);
	const struct fake_call *call;

	tally_sim_run(sim, MS);
	assert_int_equal(truth_of(sim, task, SIM_SW + PERF_COUNT_SW_PAGE_FAULTS), 5);
	assert_int_equal(truth_of(sim, task, SIM_SW + PERF_COUNT_SW_CONTEXT_SWITCHES), 1);
	call = fake_call(tally_sim_core(sim), FAKE_SOFTWARE, 0);
	assert_int_equal(call->sample_data.mode, PERF_RECORD_MISC_USER);
	call = fake_call(tally_sim_core(sim), FAKE_SOFTWARE, 1);
	assert_int_equal(call->sample_data.mode, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(call->sample_data.ip, 0x99);
	assert_int_equal(call->sample_data.addr, 0x77);
	machine_end(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fractions_of_events_carry_over),
		cmocka_unit_test(rates_per_second_are_exact),
		cmocka_unit_test(reading_the_truth_changes_nothing),
		cmocka_unit_test(idle_has_the_remaining_time),
		cmocka_unit_test(trees_include_exited_descendants),
		cmocka_unit_test(test_software),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
