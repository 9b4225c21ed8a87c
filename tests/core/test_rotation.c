/* SPDX-License-Identifier: BSD-2-Clause */
/* Multiplexing: fair shares and accurate estimates. */
#include <inttypes.h>

#include "base/arith.h"
#include "scripts.h"

enum { TICK = 4 * MS };

/* Multiplex `nr` equal groups of `size` events on 4 counters for 10 simulated seconds. Their shares
 * differ by at most one tick, and the estimates are within 2 % of the truth. */
static void check_shares(unsigned nr, unsigned size, int32_t cpu)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading readings[16];
	int fds[16];
	uint64_t least = UINT64_MAX, most = 0, cycles;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < nr; i++) {
		fds[i] =
			harness_open(&harness, attr_hw(SIM_CYCLES), cpu < 0 ? task : NULL, cpu, -1);
		for (unsigned j = 1; j < size; j++)
			harness_open(&harness, attr_hw(SIM_BRANCHES), cpu < 0 ? task : NULL, cpu,
				     fds[i]);
	}
	tally_sim_run(harness.sim, 10ull * SECOND);
	cycles = truth(&harness, task, 0, SIM_CYCLES);
	for (unsigned i = 0; i < nr; i++) {
		readings[i] = harness_read(&harness, fds[i]);
		least = TALLY_MIN(least, readings[i].running);
		most = TALLY_MAX(most, readings[i].running);
		assert_int_equal(readings[i].enabled, 10ull * SECOND);
		assert_near(
			tally_mul_div(readings[i].value, readings[i].enabled, readings[i].running),
			cycles, cycles / 50);
	}
	if (most - least > TICK)
		fail_msg("%u groups of %u: %" PRIu64 " to %" PRIu64 " ns", nr, size, least, most);
	harness_end(&harness);
}

static void single_events_have_fair_shares(void **state)
{
	for (unsigned nr = 1; nr <= 16; nr++) {
		check_shares(nr, 1, -1);
		check_shares(nr, 1, 0);
	}
}

static void pairs_have_fair_shares(void **state)
{
	check_shares(3, 2, -1);
	check_shares(5, 2, 0);
	check_shares(8, 2, -1);
}

static void wide_groups_have_fair_shares(void **state)
{
	check_shares(2, 3, -1);
	check_shares(3, 4, 0);
	check_shares(7, 4, -1);
}

/* Events are multiplexed even if their task never runs for a full tick at a time. */
static void tasks_with_short_turns_are_multiplexed(void **state)
{
	struct tally_sim_config config = {.pmus = &harness_pmu, .nr_pmus = 1, .quantum_ns = MS};
	struct harness harness;
	struct tally_sim_task *task;
	int fds[6];
	uint64_t cycles;

	harness_begin(&harness, 1, &config);
	harness_spawn(&harness, script_hog, 0);
	harness_spawn(&harness, script_worker, 0);
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < 6; i++)
		fds[i] = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	tally_sim_run(harness.sim, 10ull * SECOND);
	cycles = truth(&harness, task, 0, SIM_CYCLES);
	for (unsigned i = 0; i < 6; i++) {
		struct reading reading = harness_read(&harness, fds[i]);

		assert_int_equal(reading.enabled, truth(&harness, task, 0, SIM_NS));
		assert_true(reading.running > reading.enabled / 2);
		assert_near(tally_mul_div(reading.value, reading.enabled, reading.running), cycles,
			    cycles / 50);
	}
	harness_end(&harness);
}

/* Task events and CPU events share a PMU, and all events get counters. */
static void task_and_cpu_events_all_get_counters(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int of_task[4], of_cpu[4];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < 4; i++) {
		of_task[i] = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
		of_cpu[i] = harness_open(&harness, attr_hw(SIM_CYCLES), NULL, 0, -1);
	}
	tally_sim_run(harness.sim, 10ull * SECOND);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(harness_read(&harness, of_task[i]).running > SECOND);
		assert_true(harness_read(&harness, of_cpu[i]).running > SECOND);
	}
	harness_end(&harness);
}

/* The task runs for 1 ms between ticks, but never during a tick. */
static void tasks_that_miss_all_ticks_are_multiplexed(void **state)
{
	static const struct tally_sim_step between[] = {SIM_SLEEP(1500 * US), SIM_LOOP(0),
							SIM_RUN(SIM_USER, MS, &harness_busy),
							SIM_SLEEP(3 * MS), SIM_END_LOOP()};
	struct harness harness;
	struct tally_sim_task *task;
	int fds[8];
	uint64_t cycles;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, between, 0);
	for (unsigned i = 0; i < 8; i++)
		fds[i] = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	tally_sim_run(harness.sim, 10ull * SECOND);
	cycles = truth(&harness, task, 0, SIM_CYCLES);
	for (unsigned i = 0; i < 8; i++) {
		struct reading reading = harness_read(&harness, fds[i]);

		assert_near(reading.running, reading.enabled / 2, TICK);
		assert_near(tally_mul_div(reading.value, reading.enabled, reading.running), cycles,
			    cycles / 50);
	}
	harness_end(&harness);
}

/* Print how long each event of check_shared_cpu() was on a counter, in percent of the task's
 * running time. */
static void show_shares(const uint64_t *shares, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		print_message("%s%" PRIu64 "%%%s", i ? "" : "# ", shares[i],
			      i + 1 < nr ? " " : "\n");
}

/* A task with a group of 4 and 7 single events alternates every `quantum` ns with a task without
 * events, on a CPU with 3 CPU events. While the first task runs, its events and the CPU events
 * compete for 4 counters. While the second task runs, the CPU events have the counters to
 * themselves. */
static void check_shared_cpu(uint64_t quantum)
{
	const struct tally_sim_step turns[] = {SIM_LOOP(0),
					       SIM_RUN(SIM_USER, quantum, &harness_busy),
					       SIM_YIELD(), SIM_END_LOOP()};
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t shares[11], enabled;
	int fds[11];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, turns, 0);
	harness_spawn(&harness, turns, 0);
	for (unsigned i = 0; i < 8; i++)
		fds[i] = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	for (unsigned i = 0; i < 3; i++)
		harness_open(&harness, attr_hw(SIM_BRANCHES), task, -1, fds[0]);
	for (unsigned i = 8; i < 11; i++)
		fds[i] = harness_open(&harness, attr_hw(SIM_CYCLES), NULL, 0, -1);
	tally_sim_run(harness.sim, 10ull * SECOND);
	enabled = harness_read(&harness, fds[0]).enabled;
	for (unsigned i = 0; i < 11; i++) {
		uint64_t running = harness_read(&harness, fds[i]).running;

		running -= i < 8 ? 0 : 10ull * SECOND - enabled;
		shares[i] = running * 100 / enabled;
	}
	show_shares(shares, 11);
	/* There are 10 single events and a group that needs all counters, so 14 events share 4
	 * counters. Single events may get more than their share, from time that would otherwise be
	 * unused. */
	for (unsigned i = 0; i < 11; i++)
		assert_in_range(shares[i], 20, 45);
	harness_end(&harness);
}

static void task_and_cpu_events_share_counters_fairly(void **state)
{
	check_shared_cpu(700 * US);
	check_shared_cpu(MS);
	check_shared_cpu(3 * MS);
	check_shared_cpu(17 * MS);
}

/* Pinned groups never wait; only the remaining counters are multiplexed. */
static void pinned_groups_never_wait(void **state)
{
	struct perf_event_attr pinned = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	int stays[2], turns[4];

	pinned.pinned = 1;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < 4; i++)
		turns[i] = harness_open(&harness, attr_hw(SIM_BRANCHES), task, -1, -1);
	for (unsigned i = 0; i < 2; i++)
		stays[i] = harness_open(&harness, pinned, task, -1, -1);
	tally_sim_run(harness.sim, 10ull * SECOND);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(harness_value(&harness, stays[i]),
				 truth(&harness, task, 0, SIM_CYCLES));
	for (unsigned i = 0; i < 4; i++)
		assert_near(harness_read(&harness, turns[i]).running, 5ull * SECOND, TICK);
	harness_end(&harness);
}

/* A counter that is released by disable, by close or by a used-up REFRESH limit is reused
 * immediately, not only at the next tick. */
static void free_counters_are_used_immediately(void **state)
{
	struct perf_event_attr limited = attr_hw(SIM_CYCLES);

	for (unsigned how = 0; how < 3; how++) {
		struct harness harness;
		struct tally_sim_task *task;
		uint64_t running = 0;
		int fds[4], fd;

		limited.sample_period = 30000;
		limited.disabled = 1;
		harness_begin(&harness, 1, NULL);
		task = harness_spawn(&harness, script_hog, 0);
		fd = harness_open(&harness, limited, task, -1, -1);
		harness_ioctl(&harness, fd, PERF_EVENT_IOC_REFRESH, 10);
		for (unsigned i = 0; i < 4; i++)
			fds[i] = harness_open(&harness, attr_hw(SIM_BRANCHES), task, -1, -1);
		if (how == 0)
			harness_disable(&harness, fd);
		if (how == 1)
			harness_close(&harness, fd);
		/* Ten periods end after 100 us, long before the next tick. */
		tally_sim_run(harness.sim, MS);
		for (unsigned i = 0; i < 4; i++)
			running += harness_read(&harness, fds[i]).running;
		assert_near(running, 4 * MS - (how == 2 ? 100 * US : 0), US);
		harness_end(&harness);
	}
}

/* The task keeps forking. The events that have waited longest come first in its children as well,
 * which run for less than a tick. */
static void longest_waiting_events_come_first_in_children(void **state)
{
	enum { NR = 12 };
	static const struct tally_sim_step child[] = {SIM_RUN(SIM_USER, 3 * MS, &harness_busy),
						      SIM_EXIT()};
	static const struct tally_sim_step parent[] = {
		SIM_LOOP(0),           SIM_RUN(SIM_USER, 5 * MS, &harness_busy),
		SIM_FORK_TO(child, 1), SIM_FORK_TO(child, 2),
		SIM_FORK_TO(child, 3), SIM_END_LOOP()};
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	int fds[NR];

	attr.inherit = 1;
	harness_begin(&harness, 4, NULL);
	task = harness_spawn(&harness, parent, 0);
	for (unsigned i = 0; i < NR; i++)
		fds[i] = harness_open(&harness, attr, task, -1, -1);
	tally_sim_run(harness.sim, 4ull * SECOND);
	for (unsigned i = 0; i < NR; i++) {
		struct reading reading = harness_read(&harness, fds[i]);

		assert_near(reading.running, reading.enabled / 3, reading.enabled / 100);
	}
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_events_have_fair_shares),
		cmocka_unit_test(pairs_have_fair_shares),
		cmocka_unit_test(wide_groups_have_fair_shares),
		cmocka_unit_test(tasks_with_short_turns_are_multiplexed),
		cmocka_unit_test(tasks_that_miss_all_ticks_are_multiplexed),
		cmocka_unit_test(task_and_cpu_events_share_counters_fairly),
		cmocka_unit_test(task_and_cpu_events_all_get_counters),
		cmocka_unit_test(pinned_groups_never_wait),
		cmocka_unit_test(free_counters_are_used_immediately),
		cmocka_unit_test(longest_waiting_events_come_first_in_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
