/* SPDX-License-Identifier: BSD-2-Clause */
/* Test different kinds of PMUs. Unsupported requests must be rejected, and supported events must
 * count exactly. */
#include "scripts.h"

enum { CORE_TYPE = 8, OTHER_TYPE = 9 };

static const struct tally_sim_pmu core_pmu = {.name = "cpu",
					      .type = CORE_TYPE,
					      .core = true,
					      .nr_generic = 2,
					      .nr_fixed = 1,
					      .fixed = {SIM_CYCLES},
					      .width = 40,
					      .constraint = {[SIM_BRANCHES] = 1 << 0},
					      .absent = 1 << SIM_BUS_CYCLES};

static void begin(struct harness *harness, struct tally_sim_pmu other)
{
	const struct tally_sim_pmu pmus[] = {core_pmu, other};
	struct tally_sim_config config = {.pmus = pmus, .nr_pmus = 2, .idle = &harness_calm};

	harness_begin(harness, 2, &config);
}

static struct perf_event_attr attr_other(unsigned signal)
{
	struct perf_event_attr attr = attr_hw(signal);

	attr.type = OTHER_TYPE;
	return attr;
}

/* Ways to select a PMU event: by generic number, as a cache event, as a raw event, and by the PMU's
 * own type. */
static void events_are_selected_by_each_type(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		int signal; /* or -errno */
	} rows[] = {
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, SIM_INSTRUCTIONS},
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES | (uint64_t)CORE_TYPE << 32,
		 SIM_CYCLES},
		{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL, SIM_CACHE_REFERENCES},
		{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL | 1 << 16, SIM_CACHE_MISSES},
		{PERF_TYPE_RAW, SIM_BRANCHES, SIM_BRANCHES},
		{CORE_TYPE, SIM_BRANCH_MISSES, SIM_BRANCH_MISSES},
		{OTHER_TYPE, SIM_CYCLES, SIM_CYCLES},
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, -EINVAL},
		{PERF_TYPE_RAW, SIM_NR_HW, -EINVAL},
		{PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D, -ENOENT},
		{77, 0, -ENOENT},
	};
	struct harness harness;
	struct tally_sim_task *task;

	begin(&harness, (struct tally_sim_pmu){
				.name = "other", .type = OTHER_TYPE, .nr_generic = 1, .width = 32});
	task = harness_spawn(&harness, script_worker, 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr attr = attr_hw(0);
		uint64_t before;
		int fd;

		attr.type = rows[i].type;
		attr.config = rows[i].config;
		fd = harness_try(&harness, harness.observer, attr, tally_sim_task_tid(task), -1,
				 -1);
		if (rows[i].signal < 0) {
			assert_int_equal(fd, rows[i].signal);
			continue;
		}
		assert_true(fd >= 0);
		before = truth(&harness, task, 0, (unsigned)rows[i].signal);
		tally_sim_run(harness.sim, MS);
		assert_int_equal(harness_value(&harness, fd),
				 truth(&harness, task, 0, (unsigned)rows[i].signal) - before);
		harness_close(&harness, fd);
	}
	harness_end(&harness);
}

/* Requests that this kind of PMU does not support are rejected with a reason. */
static void unsupported_requests_are_rejected(void **state)
{
	struct perf_event_attr sampling = attr_other(0), excluding = attr_other(0);
	static const uint32_t caps[] = {TALLY_PMU_NO_INTERRUPT, TALLY_PMU_NO_EXCLUDE,
					TALLY_PMU_PER_CPU_ONLY};

	sampling.sample_period = 1000;
	excluding.exclude_kernel = 1;
	for (unsigned i = 0; i < 4; i++) {
		struct harness harness;
		struct tally_sim_task *task;
		int32_t tid;

		begin(&harness, (struct tally_sim_pmu){.name = "other",
						       .type = OTHER_TYPE,
						       .nr_generic = 1,
						       .width = 32,
						       .caps = i < 3 ? caps[i] : 0});
		task = harness_spawn(&harness, script_worker, 0);
		tid = tally_sim_task_tid(task);
		assert_int_equal(harness_try(&harness, harness.observer, sampling, -1, 0, -1) < 0,
				 i == 0);
		assert_int_equal(harness_try(&harness, harness.observer, excluding, -1, 0, -1) < 0,
				 i == 1);
		assert_int_equal(
			harness_try(&harness, harness.observer, attr_other(0), tid, -1, -1) < 0,
			i == 2);
		harness_end(&harness);
	}
}

/* A PMU that only supports per-CPU events counts everything that runs on a CPU. */
static void a_per_cpu_pmu_counts_all_tasks(void **state)
{
	struct harness harness;
	int fds[2];

	begin(&harness, (struct tally_sim_pmu){.name = "uncore",
					       .type = OTHER_TYPE,
					       .nr_generic = 2,
					       .width = 20,
					       .caps = TALLY_PMU_PER_CPU_ONLY});
	harness_spawn(&harness, script_worker, 0);
	harness_spawn(&harness, script_hog, 1);
	for (int32_t cpu = 0; cpu < 2; cpu++)
		fds[cpu] = harness_open(&harness, attr_other(SIM_INSTRUCTIONS), NULL, cpu, -1);
	tally_sim_run(harness.sim, 77 * MS);
	for (uint32_t cpu = 0; cpu < 2; cpu++)
		assert_int_equal(harness_value(&harness, fds[cpu]),
				 truth_cpu(&harness, cpu, SIM_INSTRUCTIONS));
	harness_end(&harness);
}

/* Counters that cannot interrupt are read at each tick, before they wrap. */
static void counters_without_interrupts_are_read_at_ticks(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int fds[2];

	/* A 4 ms tick has 12,000,000 cycles, which is less than 2^24. */
	begin(&harness, (struct tally_sim_pmu){.name = "other",
					       .type = OTHER_TYPE,
					       .nr_generic = 2,
					       .width = 24,
					       .caps = TALLY_PMU_NO_INTERRUPT});
	task = harness_spawn(&harness, script_worker, 0);
	harness_spawn(&harness, script_hog, 0);
	fds[0] = harness_open(&harness, attr_other(SIM_CYCLES), task, -1, -1);
	fds[1] = harness_open(&harness, attr_other(SIM_CYCLES), NULL, 0, -1);
	tally_sim_run(harness.sim, SECOND + 1);
	assert_int_equal(harness_value(&harness, fds[0]), truth(&harness, task, 0, SIM_CYCLES));
	assert_int_equal(harness_value(&harness, fds[1]), truth_cpu(&harness, 0, SIM_CYCLES));
	harness_end(&harness);
}

/* Events of two PMUs do not compete with each other, and cannot be in the same group. */
static void events_of_two_pmus_do_not_compete(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading other;
	int fds[6], fd;

	begin(&harness, (struct tally_sim_pmu){
				.name = "other", .type = OTHER_TYPE, .nr_generic = 1, .width = 48});
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr_other(SIM_BRANCHES), task, -1, -1);
	for (unsigned i = 0; i < 6; i++)
		fds[i] = harness_open(&harness, attr_hw(SIM_INSTRUCTIONS), task, -1, -1);
	tally_sim_run(harness.sim, SECOND);
	other = harness_read(&harness, fd);
	assert_int_equal(other.running, SECOND);
	assert_int_equal(other.value, truth(&harness, task, 0, SIM_BRANCHES));
	assert_true(harness_read(&harness, fds[0]).running < SECOND / 2);
	assert_int_equal(harness_try(&harness, harness.observer, attr_other(SIM_CYCLES),
				     tally_sim_task_tid(task), -1, fds[0]),
			 -EINVAL);
	harness_end(&harness);
}

/* Use drivers with and without transactions and pauses, and with constraints within a group. */
static void drivers_with_and_without_transactions_count(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		struct tally_sim_pmu pmu = core_pmu;
		struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
		struct harness harness;
		struct tally_sim_task *task;
		static const unsigned signals[] = {SIM_INSTRUCTIONS, SIM_BRANCHES, SIM_CYCLES};
		int fds[3], rival;

		pmu.immediate = i & 1;
		pmu.no_pause = i & 2;
		harness_begin(&harness, 1, &config);
		task = harness_spawn(&harness, script_worker, 0);
		for (unsigned j = 0; j < 3; j++)
			fds[j] = harness_open(&harness, attr_hw(signals[j]), task, -1,
					      j ? fds[0] : -1);
		tally_sim_run(harness.sim, 50 * MS);
		for (unsigned j = 0; j < 3; j++)
			assert_int_equal(harness_value(&harness, fds[j]),
					 truth(&harness, task, 0, signals[j]));
		/* Both events need counter 0. */
		rival = harness_open(&harness, attr_hw(SIM_BRANCHES), task, -1, -1);
		tally_sim_run(harness.sim, 500 * MS);
		assert_true(harness_read(&harness, rival).running > 100 * MS);
		assert_true(harness_read(&harness, fds[0]).running > 100 * MS);
		assert_true(harness_read(&harness, rival).running +
				    harness_read(&harness, fds[0]).running <=
			    truth(&harness, task, 0, SIM_NS));
		harness_end(&harness);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_selected_by_each_type),
		cmocka_unit_test(unsupported_requests_are_rejected),
		cmocka_unit_test(a_per_cpu_pmu_counts_all_tasks),
		cmocka_unit_test(counters_without_interrupts_are_read_at_ticks),
		cmocka_unit_test(events_of_two_pmus_do_not_compete),
		cmocka_unit_test(drivers_with_and_without_transactions_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
