/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups are scheduled on the PMU as a whole or not at all, including pinned and exclusive
 * groups. */
#include "base/arith.h"
#include "scripts.h"

enum { SIGNALS = 6 };

static struct perf_event_attr attr_group(unsigned signal)
{
	struct perf_event_attr attr = attr_hw(signal);

	attr.read_format |= PERF_FORMAT_GROUP;
	return attr;
}

/* Open a group of `nr` events and store their descriptors in `ret_fds`. Returns the leader's
 * descriptor. */
static int open_group(struct harness *harness, const struct tally_sim_task *task, int32_t cpu,
		      unsigned nr, int *ret_fds)
{
	for (unsigned i = 0; i < nr; i++)
		ret_fds[i] = harness_open(harness, attr_group(i % SIGNALS), task, cpu,
					  i ? ret_fds[0] : -1);
	return ret_fds[0];
}

/* If a group fits, all values equal the truth. One read returns all values in the order in which
 * the events were opened. */
static void a_group_that_fits_counts_the_truth(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading values[16];
	int fds[4];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_worker, 0);
	open_group(&harness, task, -1, 4, fds);
	tally_sim_run(harness.sim, 11 * MS);
	assert_int_equal(harness_read_group(&harness, fds[0], values), 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(values[i].value, truth(&harness, task, 0, i));
		assert_int_equal(values[i].running, truth(&harness, task, 0, SIM_NS));
		assert_int_equal(values[i].id, harness_id(&harness, fds[i]));
	}
	harness_end(&harness);
}

/* All members of a multiplexed group count at the same times. While the group of four is on the
 * PMU, there are not enough counters for the group of three. Single events use the remaining
 * counters. */
static void members_count_together_or_not_at_all(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int four[4], three[3], one;
	struct reading a[16], b[16], single;
	uint64_t ns;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	open_group(&harness, task, -1, 4, four);
	open_group(&harness, task, -1, 3, three);
	one = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	for (unsigned i = 0; i < 200; i++) {
		tally_sim_run(harness.sim, 1300021);
		assert_int_equal(harness_read_group(&harness, four[0], a), 4);
		assert_int_equal(harness_read_group(&harness, three[0], b), 3);
		single = harness_read(&harness, one);
		ns = truth(&harness, task, 0, SIM_NS);
		assert_int_equal(a[0].enabled, ns);
		assert_int_equal(b[0].enabled, ns);
		assert_true(a[0].running + b[0].running <= ns);
		assert_true(a[0].running + single.running <= ns);
		assert_true(single.running >= b[0].running);
		/* The load is constant, so each count is proportional to the event's running
		 * time. */
		for (unsigned j = 0; j < 4; j++)
			assert_near(a[j].value,
				    tally_mul_div(harness_busy.per_ms[j], a[0].running, MS), 1 + i);
		for (unsigned j = 0; j < 3; j++)
			assert_near(b[j].value,
				    tally_mul_div(harness_busy.per_ms[j], b[0].running, MS), 1 + i);
	}
	assert_true(a[0].running && b[0].running);
	assert_int_equal(a[0].running + b[0].running, ns);
	harness_end(&harness);
}

/* A group that does not fit on an empty PMU is rejected by open. */
static void a_group_that_never_fits_is_rejected(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int fds[4];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	open_group(&harness, task, -1, 4, fds);
	assert_int_equal(harness_try(&harness, harness.observer, attr_group(SIM_CYCLES),
				     tally_sim_task_tid(task), -1, fds[0]),
			 -EINVAL);
	assert_string_not_equal(tally_sim_refusal(harness.sim)->rule, "");
	harness_end(&harness);
}

/* Software events in a hardware group are switched on and off together with the group. */
static void software_members_count_with_their_hardware_leader(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading values[16];
	int fds[4], clock;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	open_group(&harness, task, -1, 3, fds);
	clock = harness_open(&harness, attr_sw(PERF_COUNT_SW_TASK_CLOCK), task, -1, fds[0]);
	open_group(&harness, task, -1, 4, (int[4]){0});
	tally_sim_run(harness.sim, 100 * MS + 77);
	assert_int_equal(harness_read_group(&harness, fds[0], values), 4);
	assert_int_equal(values[3].value, values[3].running);
	assert_true(values[3].running < values[3].enabled);
	assert_int_equal(harness_id(&harness, clock), values[3].id);
	harness_end(&harness);
}

/* A group with a software leader moves to the PMU when a hardware member is added. Tested for a
 * task and for a CPU. */
static void a_software_leader_moves_to_the_pmu(void **state)
{
	for (int32_t cpu = -1; cpu < 1; cpu++) {
		struct perf_event_attr clock =
			attr_sw(cpu < 0 ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK);
		struct harness harness;
		struct tally_sim_task *task, *whose;
		struct reading values[16];
		int leader, member;

		clock.read_format |= PERF_FORMAT_GROUP;
		harness_begin(&harness, 1, NULL);
		task = harness_spawn(&harness, script_hog, 0);
		whose = cpu < 0 ? task : NULL;
		leader = harness_open(&harness, clock, whose, cpu, -1);
		tally_sim_run(harness.sim, 10 * MS);
		member = harness_open(&harness, attr_hw(SIM_CYCLES), whose, cpu, leader);
		tally_sim_run(harness.sim, 10 * MS);
		assert_int_equal(harness_read_group(&harness, leader, values), 2);
		assert_int_equal(values[0].value, 20 * MS);
		assert_int_equal(values[1].value, 30 * MS);
		/* When other groups compete for the counters, the software leader is multiplexed as
		 * well. */
		open_group(&harness, whose, cpu, 4, (int[4]){0});
		tally_sim_run(harness.sim, 100 * MS);
		assert_int_equal(harness_read_group(&harness, leader, values), 2);
		assert_in_range(values[0].value, 60 * MS, 80 * MS);
		assert_near(values[1].value, 3 * (values[0].value - 10 * MS), 100);
		harness_close(&harness, member);
		harness_end(&harness);
	}
}

/* Pinned groups are scheduled first. A pinned event that finds no counter enters the error state,
 * and reads return end of file until the event is enabled again. */
static void a_pinned_event_without_a_counter_is_in_error(void **state)
{
	struct perf_event_attr pinned = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	int fds[5], flexible[4];
	uint64_t before;

	pinned.pinned = 1;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_worker, 0);
	open_group(&harness, task, -1, 4, flexible);
	for (unsigned i = 0; i < 4; i++)
		fds[i] = harness_open(&harness, pinned, task, -1, -1);
	tally_sim_run(harness.sim, 50 * MS);
	fds[4] = harness_open(&harness, pinned, task, -1, -1);
	before = truth(&harness, task, 0, SIM_CYCLES);
	tally_sim_run(harness.sim, 50 * MS);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(harness_value(&harness, fds[i]),
				 truth(&harness, task, 0, SIM_CYCLES));
	assert_true(harness_read(&harness, fds[4]).eof);
	assert_int_equal(tally_sim_poll(harness.sim, harness.observer, fds[4]) &
				 (TALLY_CORE_POLLERR | TALLY_CORE_POLLHUP),
			 TALLY_CORE_POLLERR | TALLY_CORE_POLLHUP);
	/* Now a counter is free, but the event must be enabled again first. */
	harness_close(&harness, fds[0]);
	tally_sim_run(harness.sim, 10 * MS);
	assert_true(harness_read(&harness, fds[4]).eof);
	harness_disable(&harness, fds[4]);
	assert_true(harness_read(&harness, fds[4]).eof);
	harness_enable(&harness, fds[4]);
	before = truth(&harness, task, 0, SIM_CYCLES);
	tally_sim_run(harness.sim, 10 * MS);
	assert_int_equal(harness_value(&harness, fds[4]),
			 truth(&harness, task, 0, SIM_CYCLES) - before);
	harness_end(&harness);
}

/* A task's pinned events have priority over a CPU's flexible events, even if the task starts
 * running later. */
static void pinned_task_events_precede_flexible_cpu_events(void **state)
{
	struct perf_event_attr pinned = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	int fds[3], flexible[6];

	pinned.pinned = 1;
	harness_begin(&harness, 1, NULL);
	harness_spawn(&harness, script_worker, 0);
	task = harness_spawn(&harness, script_worker, 0);
	for (unsigned i = 0; i < 6; i++)
		flexible[i] = harness_open(&harness, attr_hw(SIM_BRANCHES), NULL, 0, -1);
	for (unsigned i = 0; i < 3; i++)
		fds[i] = harness_open(&harness, pinned, task, -1, -1);
	for (unsigned i = 0; i < 100; i++) {
		tally_sim_run(harness.sim, 999 * US);
		for (unsigned j = 0; j < 3; j++)
			assert_int_equal(harness_value(&harness, fds[j]),
					 truth(&harness, task, 0, SIM_CYCLES));
	}
	for (unsigned i = 0; i < 6; i++)
		assert_true(harness_read(&harness, flexible[i]).running > 10 * MS);
	harness_end(&harness);
}

/* While an exclusive group is on its PMU, no other group is. Software events are not affected. */
static void an_exclusive_group_is_alone_on_its_pmu(void **state)
{
	struct perf_event_attr exclusive = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	int alone, other, clock;
	struct reading a, b;

	exclusive.exclusive = 1;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	alone = harness_open(&harness, exclusive, task, -1, -1);
	other = harness_open(&harness, attr_hw(SIM_INSTRUCTIONS), task, -1, -1);
	clock = harness_open(&harness, attr_sw(PERF_COUNT_SW_TASK_CLOCK), task, -1, -1);
	tally_sim_run(harness.sim, SECOND);
	a = harness_read(&harness, alone);
	b = harness_read(&harness, other);
	assert_int_equal(a.running + b.running, SECOND);
	assert_in_range(a.running, SECOND / 4, SECOND / 4 * 3);
	assert_int_equal(harness_value(&harness, clock), SECOND);
	harness_end(&harness);
}

/* Enable and disable members, a leader, and a whole group with PERF_IOC_FLAG_GROUP. */
static void members_leaders_and_groups_are_enabled_and_disabled(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading values[16], again[16];
	int fds[3];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	open_group(&harness, task, -1, 3, fds);
	tally_sim_run(harness.sim, MS);
	harness_disable(&harness, fds[1]);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_read_group(&harness, fds[0], values), 3);
	assert_int_equal(values[0].value, 6 * MS);
	assert_int_equal(values[1].value, harness_busy.per_ms[1]);
	/* While the leader is disabled, no member counts, not even an enabled one. */
	harness_disable(&harness, fds[0]);
	harness_enable(&harness, fds[1]);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_read_group(&harness, fds[0], again), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(again[i].value, values[i].value);
	harness_ioctl(&harness, fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	harness_enable(&harness, fds[0]);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_read_group(&harness, fds[0], again), 3);
	assert_int_equal(again[0].value, 9 * MS);
	assert_int_equal(again[2].value, values[2].value);
	harness_ioctl(&harness, fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	harness_ioctl(&harness, fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(harness_read_group(&harness, fds[0], again), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_near(again[i].value, harness_busy.per_ms[i], 1);
	harness_end(&harness);
}

/* While a member's leader is disabled, the member does not count as enabled either, so its times do
 * not advance. */
static void times_of_a_member_stop_with_its_leader(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading before, after;
	int fds[2];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < 2; i++)
		fds[i] = harness_open(&harness, attr_hw(i), task, -1, i ? fds[0] : -1);
	tally_sim_run(harness.sim, MS);
	harness_disable(&harness, fds[0]);
	before = harness_read(&harness, fds[1]);
	tally_sim_run(harness.sim, MS);
	after = harness_read(&harness, fds[1]);
	assert_int_equal(before.enabled, MS);
	assert_int_equal(after.enabled, MS);
	assert_int_equal(after.value, before.value);
	harness_enable(&harness, fds[0]);
	tally_sim_run(harness.sim, MS);
	after = harness_read(&harness, fds[1]);
	assert_int_equal(after.enabled, 2 * MS);
	assert_int_equal(after.running, 2 * MS);
	harness_end(&harness);
}

/* When the leader is closed, its members become single events and continue to count. */
static void members_continue_after_their_leader_is_closed(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int fds[3];

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_worker, 0);
	for (unsigned i = 0; i < 3; i++)
		fds[i] = harness_open(&harness, attr_hw(i), task, -1, i ? fds[0] : -1);
	tally_sim_run(harness.sim, MS);
	harness_close(&harness, fds[0]);
	tally_sim_run(harness.sim, MS);
	for (unsigned i = 1; i < 3; i++)
		assert_int_equal(harness_value(&harness, fds[i]), truth(&harness, task, 0, i));
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_that_fits_counts_the_truth),
		cmocka_unit_test(members_count_together_or_not_at_all),
		cmocka_unit_test(a_group_that_never_fits_is_rejected),
		cmocka_unit_test(software_members_count_with_their_hardware_leader),
		cmocka_unit_test(a_software_leader_moves_to_the_pmu),
		cmocka_unit_test(a_pinned_event_without_a_counter_is_in_error),
		cmocka_unit_test(pinned_task_events_precede_flexible_cpu_events),
		cmocka_unit_test(an_exclusive_group_is_alone_on_its_pmu),
		cmocka_unit_test(members_leaders_and_groups_are_enabled_and_disabled),
		cmocka_unit_test(times_of_a_member_stop_with_its_leader),
		cmocka_unit_test(members_continue_after_their_leader_is_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
