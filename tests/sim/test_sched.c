/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler and the hooks it calls. */
#include <string.h>

#include "test_machine.h"

static const struct tally_sim_step forever[] = {SIM_LOOP(0), SIM_RUN(SIM_USER, 10 * MS, NULL),
						SIM_END_LOOP()};

static struct tally_sim_task *spawn_at(struct tally_sim *sim, const struct tally_sim_step *script,
				       int32_t priority)
{
	struct tally_sim_spawn how = {.script = script, .priority = priority};

	return tally_sim_task_new(sim, &how);
}

/* Tasks of equal priority take turns, each for one quantum. At each switch, the hook reports
 * whether the previous task was preempted. */
static void tasks_of_equal_priority_take_turns(void **state)
{
	struct tally_sim *sim =
		machine(&(struct tally_sim_config){.nr_cpus = 1, .quantum_ns = 100000});
	struct tally_sim_task *a = spawn(sim, forever, 0), *b = spawn(sim, forever, 0),
			      *c = spawn(sim, forever, 0);
	const struct fake_call *call;

	tally_sim_run(sim, 3 * MS);
	assert_int_equal(truth_of(sim, a, SIM_NS), MS);
	assert_int_equal(truth_of(sim, b, SIM_NS), MS);
	assert_int_equal(truth_of(sim, c, SIM_NS), MS);
	call = fake_call(tally_sim_core(sim), FAKE_SWITCH, 1);
	assert_int_equal(call->time, 100000);
	assert_int_equal(call->tid, tally_sim_task_tid(a));
	assert_int_equal(call->other, tally_sim_task_tid(b));
	assert_true(call->flag);
	machine_end(sim);
}

/* A task that wakes up preempts a running task with a higher priority number. The preempted task
 * continues before other tasks of its priority. */
static void a_higher_priority_preempts(void **state)
{
	static const struct tally_sim_step urgent[] = {
		SIM_SLEEP(50000), SIM_RUN(SIM_KERNEL, 1000, NULL), SIM_SLEEP(50000), SIM_EXIT()};
	struct tally_sim *sim =
		machine(&(struct tally_sim_config){.nr_cpus = 1, .quantum_ns = 1000000});
	struct tally_sim_task *low = spawn_at(sim, forever, 5), *never = spawn_at(sim, forever, 6),
			      *high = spawn_at(sim, urgent, -1);

	tally_sim_run(sim, 60000);
	assert_int_equal(truth_of(sim, high, SIM_NS), 1000);
	assert_int_equal(truth_of(sim, low, SIM_NS), 59000);
	tally_sim_run(sim, MS);
	assert_int_equal(truth_of(sim, never, SIM_NS), 0);
	assert_true(tally_sim_task_exited(high));
	assert_int_equal(tally_sim_execute(sim, never, &(struct tally_sim_step)SIM_PRIORITY(1)), 0);
	assert_true(tally_sim_task_runs(never));
	machine_end(sim);
}

/* Migration is immediate for waiting tasks, and is counted on the new CPU. */
static void migrations_are_counted_on_the_new_cpu(void **state)
{
	static const struct tally_sim_step script[] = {SIM_RUN(SIM_USER, 1000, NULL),
						       SIM_MIGRATE(1),
						       SIM_RUN(SIM_USER, 2000, NULL),
						       SIM_MIGRATE(2),
						       SIM_MIGRATE(0),
						       SIM_RUN(SIM_USER, 4000, NULL),
						       SIM_EXIT()};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 3});
	struct tally_sim_task *task = spawn(sim, script, 0);
	struct tally_sim_filter there = {.task = task, .cpus = 1 << 1};

	tally_sim_run(sim, MS);
	assert_true(tally_sim_task_exited(task));
	assert_int_equal(tally_sim_truth(sim, there, SIM_NS), 2000);
	there.cpus = 1 << 0;
	assert_int_equal(tally_sim_truth(sim, there, SIM_NS), 5000);
	assert_true(truth_of(sim, task, SIM_SW + PERF_COUNT_SW_CPU_MIGRATIONS) >= 2);
	there.cpus = 1 << 1;
	assert_int_equal(tally_sim_truth(sim, there, SIM_SW + PERF_COUNT_SW_CPU_MIGRATIONS), 1);
	machine_end(sim);
}

static void count_call(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	assert_true(tally_sim_task_runs(task));
	++*(unsigned *)arg;
}

static unsigned calls;

static void test_loops_and_calls(void **state)
{
	static const struct tally_sim_step script[] = {SIM_LOOP(3),
						       SIM_LOOP(4),
						       SIM_CALL(count_call, &calls),
						       SIM_RUN(SIM_USER, 10, NULL),
						       SIM_YIELD(),
						       SIM_END_LOOP(),
						       SIM_SLEEP(10),
						       SIM_END_LOOP(),
						       SIM_EXIT()};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 1});
	struct tally_sim_task *task = spawn(sim, script, 0);

	calls = 0;
	assert_true(tally_sim_run_until_exit(sim, task, MS));
	assert_int_equal(calls, 12);
	assert_int_equal(tally_sim_now(sim), 12 * 10 + 3 * 10);
	machine_end(sim);
}

/* A sleeping task that is woken continues with the next step. */
static void a_woken_task_continues_with_the_next_step(void **state)
{
	static const struct tally_sim_step script[] = {SIM_SLEEP(500 * MS),
						       SIM_RUN(SIM_USER, 10, NULL), SIM_EXIT()};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 1});
	struct tally_sim_task *task = spawn(sim, script, 0);

	assert_false(tally_sim_run_until_exit(sim, task, MS));
	tally_sim_wake(sim, task);
	assert_true(tally_sim_run_until_exit(sim, task, MS));
	assert_int_equal(tally_sim_now(sim), MS + 10);
	assert_int_equal(tally_sim_execute(sim, task, &(struct tally_sim_step)SIM_YIELD()), -ESRCH);
	machine_end(sim);
}

/* Print steps as C source that can be used in a test. */
static void steps_print_as_source(void **state)
{
	static const struct {
		struct tally_sim_step step;
		const char *text;
	} rows[] = {
		{SIM_RUN(SIM_GUEST_USER, 12, NULL), "SIM_RUN(SIM_GUEST_USER, 12, ...)"},
		{SIM_LOOP(3), "SIM_LOOP(3)"},
		{SIM_END_LOOP(), "SIM_END_LOOP()"},
		{SIM_SLEEP(5), "SIM_SLEEP(5)"},
		{SIM_FORK_TO(forever, 2), "SIM_FORK_TO(..., 2)"},
		{SIM_CLONE_TO(forever, 1), "SIM_CLONE_TO(..., 1)"},
		{SIM_EXEC("x"), "SIM_EXEC(\"x\")"},
		{SIM_SOFTWARE(2, 4), "SIM_SOFTWARE(2, 4)"},
		{SIM_MIGRATE(1), "SIM_MIGRATE(1)"},
		{SIM_PRIORITY(-1), "SIM_PRIORITY(-1)"},
		{SIM_EXIT(), "SIM_EXIT()"},
	};
	char text[64];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(tally_sim_step_text(&rows[i].step, text, sizeof(text)),
				 strlen(rows[i].text));
		assert_string_equal(text, rows[i].text);
	}
}

/* Each online CPU gets ticks, which report the code that the CPU is executing. */
static void online_cpus_get_ticks_and_timers(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_SEGMENT(.mode = SIM_USER, .ns = 10 * MS, .ip = 0x1000, .ip_len = 0x100),
		SIM_EXIT()};
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 2});
	struct tally_core *core = tally_sim_core(sim);
	const struct fake_call *call;

	spawn(sim, script, 1);
	core->sin = FAKE_TIMER_AT;
	core->timer_at = 5 * MS;
	tally_sim_run(sim, 9 * MS);
	assert_int_equal(fake_calls(core, FAKE_TICK), 4);
	call = fake_call(core, FAKE_TICK, 1);
	assert_int_equal(call->cpu, 1);
	assert_int_equal(call->time, 4 * MS);
	assert_int_equal(call->sample_data.ip, 0x1000 + 4 * MS % 0x100);
	assert_int_equal(fake_calls(core, FAKE_TIMER), 1);
	call = fake_call(core, FAKE_TIMER, 0);
	assert_int_equal(call->time, 5 * MS);
	assert_true(call->sample_data.idle);
	machine_end(sim);
}

/* Tasks leave a CPU that goes offline. The CPU counts no time while it is offline. */
static void tasks_leave_an_offline_cpu(void **state)
{
	struct tally_sim *sim = machine(&(struct tally_sim_config){.nr_cpus = 2});
	struct tally_sim_task *task = spawn(sim, forever, 1);

	tally_sim_run(sim, 1000);
	assert_int_equal(tally_sim_cpu_offline(sim, 1), 0);
	assert_int_equal(tally_sim_cpu_offline(sim, 0), -EBUSY);
	tally_sim_run(sim, 1000);
	assert_int_equal(tally_sim_task_cpu(task), 0);
	assert_int_equal(truth_of(sim, task, SIM_NS), 2000);
	assert_int_equal(tally_sim_truth(sim, (struct tally_sim_filter){.cpus = 1 << 1}, SIM_NS),
			 1000);
	assert_int_equal(tally_sim_cpu_online(sim, 1), 0);
	tally_sim_run(sim, 1000);
	assert_int_equal(tally_sim_truth(sim, (struct tally_sim_filter){.cpus = 1 << 1}, SIM_NS),
			 2000);
	assert_int_equal(fake_calls(tally_sim_core(sim), FAKE_OFFLINE), 1);
	machine_end(sim);
}

/* Two machines with identical configurations behave identically. */
static void equal_machines_do_the_same(void **state)
{
	static const struct tally_sim_step child[] = {SIM_RUN(SIM_USER, 33333, NULL),
						      SIM_SLEEP(777), SIM_EXIT()};
	static const struct tally_sim_step script[] = {
		SIM_LOOP(5),      SIM_FORK_TO(child, 1), SIM_RUN(SIM_KERNEL, 12345, NULL),
		SIM_CLONE(child), SIM_END_LOOP(),        SIM_EXIT()};
	struct tally_sim *sims[2];

	for (unsigned i = 0; i < 2; i++) {
		sims[i] = machine(&(struct tally_sim_config){.nr_cpus = 2, .quantum_ns = 5000});
		spawn(sims[i], script, 0);
		tally_sim_run(sims[i], 3 * MS);
	}
	assert_int_equal(tally_sim_core(sims[0])->nr_calls, tally_sim_core(sims[1])->nr_calls);
	assert_memory_equal(tally_sim_core(sims[0])->log, tally_sim_core(sims[1])->log,
			    sizeof(tally_sim_core(sims[0])->log));
	machine_end(sims[0]);
	machine_end(sims[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_of_equal_priority_take_turns),
		cmocka_unit_test(a_higher_priority_preempts),
		cmocka_unit_test(migrations_are_counted_on_the_new_cpu),
		cmocka_unit_test(test_loops_and_calls),
		cmocka_unit_test(online_cpus_get_ticks_and_timers),
		cmocka_unit_test(tasks_leave_an_offline_cpu),
		cmocka_unit_test(equal_machines_do_the_same),
		cmocka_unit_test(a_woken_task_continues_with_the_next_step),
		cmocka_unit_test(steps_print_as_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
