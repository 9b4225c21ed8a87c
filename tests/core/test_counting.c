/* SPDX-License-Identifier: BSD-2-Clause */
/* Test counting when every event has a counter. Reads must return the truth, exact to a single
 * event and nanosecond. */
#include "base/arith.h"
#include "harness.h"

static const struct tally_sim_step worker[] = {
	SIM_LOOP(0),
	SIM_RUN(SIM_USER, 31 * US, &harness_busy),
	SIM_RUN(SIM_KERNEL, 7 * US, &harness_calm),
	SIM_RUN(SIM_HYPERVISOR, 777, &harness_busy),
	SIM_RUN(SIM_GUEST_KERNEL, 901, &harness_calm),
	SIM_RUN(SIM_GUEST_USER, 4 * US, &harness_busy),
	SIM_SLEEP(13 * US),
	SIM_END_LOOP(),
};

static const struct tally_sim_step hog[] = {SIM_LOOP(0), SIM_RUN(SIM_USER, 300 * US, &harness_calm),
					    SIM_END_LOOP()};

static const struct tally_sim_step traveller[] = {
	SIM_LOOP(0),    SIM_RUN(SIM_USER, 100 * US, &harness_busy),
	SIM_MIGRATE(1), SIM_RUN(SIM_KERNEL, 50 * US, &harness_busy),
	SIM_MIGRATE(0), SIM_END_LOOP(),
};

/* A task's event follows the task between CPUs and does not count other tasks. The event's enabled
 * time is the time that the task runs. */
static void a_task_event_follows_its_task(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct reading reading;
	uint64_t cycles, ns;
	int fd;

	harness_begin(&harness, 2, NULL);
	harness_spawn(&harness, hog, 0);
	task = harness_spawn(&harness, traveller, 0);
	tally_sim_run(harness.sim, 3 * MS + 1);
	cycles = truth(&harness, task, 0, SIM_CYCLES);
	ns = truth(&harness, task, 0, SIM_NS);
	fd = harness_open(&harness, attr_hw(SIM_CYCLES), task, -1, -1);
	for (unsigned i = 0; i < 50; i++) {
		tally_sim_run(harness.sim, 1234567);
		reading = harness_read(&harness, fd);
		assert_int_equal(reading.value, truth(&harness, task, 0, SIM_CYCLES) - cycles);
		assert_int_equal(reading.enabled, truth(&harness, task, 0, SIM_NS) - ns);
		assert_int_equal(reading.running, reading.enabled);
	}
	harness_end(&harness);
}

/* Like a_task_event_follows_its_task(), on a host that does not know where a task runs. */
static void a_task_event_counts_on_a_host_without_task_cpu(void **state)
{
	struct tally_sim_config config = {.pmus = &harness_pmu, .nr_pmus = 1, .no_task_cpu = true};
	struct harness harness;
	struct tally_sim_task *tasks[4];
	uint64_t before[4];
	int fds[4];

	harness_begin(&harness, 2, &config);
	for (unsigned i = 0; i < 4; i++)
		tasks[i] = harness_spawn(&harness, i & 1 ? worker : traveller, i / 2);
	tally_sim_run(harness.sim, MS);
	for (unsigned i = 0; i < 4; i++) {
		before[i] = truth(&harness, tasks[i], 0, SIM_CYCLES);
		fds[i] = harness_open(&harness, attr_hw(SIM_CYCLES), tasks[i], -1, -1);
	}
	tally_sim_run(harness.sim, 10 * MS);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(harness_value(&harness, fds[i]),
				 truth(&harness, tasks[i], 0, SIM_CYCLES) - before[i]);
	harness_end(&harness);
}

/* A CPU event counts everything that runs on the CPU, including idle. Its enabled time is wall
 * time. */
static void a_cpu_event_counts_all_tasks_and_idle(void **state)
{
	struct tally_sim_config config = {
		.pmus = &harness_pmu, .nr_pmus = 1, .idle = &harness_calm};
	struct harness harness;
	int fds[2];

	harness_begin(&harness, 2, &config);
	harness_spawn(&harness, worker, 0);
	harness_spawn(&harness, traveller, 0);
	for (int32_t cpu = 0; cpu < 2; cpu++)
		fds[cpu] = harness_open(&harness, attr_hw(SIM_INSTRUCTIONS), NULL, cpu, -1);
	for (unsigned i = 0; i < 20; i++) {
		tally_sim_run(harness.sim, 1000003);
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			struct reading reading = harness_read(&harness, fds[cpu]);

			assert_int_equal(reading.value, truth_cpu(&harness, cpu, SIM_INSTRUCTIONS));
			assert_int_equal(reading.enabled, tally_sim_now(harness.sim));
			assert_int_equal(reading.running, reading.enabled);
		}
	}
	harness_end(&harness);
}

/* With both a pid and a CPU, the task is counted only while it runs on that CPU. */
static void a_task_event_on_a_cpu_counts_only_there(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int fds[2];

	harness_begin(&harness, 2, NULL);
	harness_spawn(&harness, hog, 1);
	task = harness_spawn(&harness, traveller, 0);
	for (int32_t cpu = 0; cpu < 2; cpu++)
		fds[cpu] = harness_open(&harness, attr_hw(SIM_CYCLES), task, cpu, -1);
	tally_sim_run(harness.sim, 40 * MS + 7);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct tally_sim_filter here = {.task = task, .cpus = 1u << cpu};
		struct reading reading = harness_read(&harness, fds[cpu]);

		assert_int_equal(reading.value, tally_sim_truth(harness.sim, here, SIM_CYCLES));
		assert_int_equal(reading.running, tally_sim_truth(harness.sim, here, SIM_NS));
	}
	harness_end(&harness);
}

enum {
	U = 1 << SIM_USER,
	K = 1 << SIM_KERNEL,
	H = 1 << SIM_HYPERVISOR,
	GK = 1 << SIM_GUEST_KERNEL,
	GU = 1 << SIM_GUEST_USER,
	I = 1 << SIM_IDLE
};

/* Attrs that exclude modes, and the modes that remain. */
static const struct {
	struct perf_event_attr attr;
	uint32_t modes;
} mode_rows[] = {
	{{.exclude_user = 1}, K | H | GK | I},
	{{.exclude_kernel = 1}, U | H | GU},
	{{.exclude_hv = 1}, U | K | GK | GU | I},
	{{.exclude_idle = 1}, U | K | H | GK | GU},
	{{.exclude_host = 1}, GK | GU},
	{{.exclude_guest = 1}, U | K | H | I},
	{{.exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1}, U},
};

/* With exclude_*, only the remaining modes are counted, for tasks and for CPUs. */
static void excluded_modes_are_not_counted(void **state)
{
	struct tally_sim_pmu pmu = harness_pmu;
	struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1, .idle = &harness_calm};
	struct harness harness;
	struct tally_sim_task *task;
	int fds[TALLY_ARRAY_SIZE(mode_rows)][2];

	pmu.nr_generic = 14;
	harness_begin(&harness, 1, &config);
	task = harness_spawn(&harness, worker, 0);
	for (unsigned i = 0; i < TALLY_ARRAY_SIZE(mode_rows); i++) {
		struct perf_event_attr attr = mode_rows[i].attr, hw = attr_hw(SIM_BRANCHES);

		attr.type = hw.type;
		attr.size = hw.size;
		attr.config = hw.config;
		attr.read_format = hw.read_format;
		fds[i][0] = harness_open(&harness, attr, task, -1, -1);
		fds[i][1] = harness_open(&harness, attr, NULL, 0, -1);
	}
	tally_sim_run(harness.sim, 9 * MS + 13);
	for (unsigned i = 0; i < TALLY_ARRAY_SIZE(mode_rows); i++) {
		assert_int_equal(harness_value(&harness, fds[i][0]),
				 truth(&harness, task, mode_rows[i].modes, SIM_BRANCHES));
		assert_int_equal(harness_value(&harness, fds[i][1]),
				 tally_sim_truth(harness.sim,
						 (struct tally_sim_filter){
							 .cpus = 1, .modes = mode_rows[i].modes},
						 SIM_BRANCHES));
	}
	harness_end(&harness);
}

/* Events count only while enabled. Reset clears the count, but not the times. */
static void only_enabled_time_is_counted(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t cycles = 0, ns = 0;
	struct reading reading;
	int fd;

	attr.disabled = 1;
	harness_begin(&harness, 1, NULL);
	harness_spawn(&harness, hog, 0);
	task = harness_spawn(&harness, worker, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t cycles_before, ns_before;

		tally_sim_run(harness.sim, 777777);
		assert_int_equal(harness_value(&harness, fd), cycles);
		harness_enable(&harness, fd);
		harness_enable(&harness, fd);
		cycles_before = truth(&harness, task, 0, SIM_CYCLES);
		ns_before = truth(&harness, task, 0, SIM_NS);
		tally_sim_run(harness.sim, 1111111);
		harness_disable(&harness, fd);
		cycles += truth(&harness, task, 0, SIM_CYCLES) - cycles_before;
		ns += truth(&harness, task, 0, SIM_NS) - ns_before;
	}
	reading = harness_read(&harness, fd);
	assert_int_equal(reading.value, cycles);
	assert_int_equal(reading.enabled, ns);
	harness_ioctl(&harness, fd, PERF_EVENT_IOC_RESET, 0);
	reading = harness_read(&harness, fd);
	assert_int_equal(reading.value, 0);
	assert_int_equal(reading.enabled, ns);
	harness_end(&harness);
}

/* Counters that are at least 8 bits wide are extended to 64 bits. */
static void counters_of_any_width_are_extended(void **state)
{
	for (uint8_t width = 8; width <= 64; width++) {
		struct tally_sim_pmu pmu = harness_pmu;
		struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
		struct harness harness;
		struct tally_sim_task *task;
		int fd;

		pmu.width = width;
		pmu.maskable = width & 1;
		harness_begin(&harness, 2, &config);
		harness_spawn(&harness, hog, 0);
		task = harness_spawn(&harness, traveller, 0);
		fd = harness_open(&harness, attr_hw(SIM_INSTRUCTIONS), task, -1, -1);
		tally_sim_run(harness.sim, MS + 99991);
		assert_int_equal(harness_value(&harness, fd),
				 truth(&harness, task, 0, SIM_INSTRUCTIONS));
		harness_end(&harness);
	}
}

/* Count a busy CPU with many tasks until its count exceeds 2^32, and also count one of the
 * tasks. */
static void counts_exceed_32_bits(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int cpu, fd;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, hog, 0);
	for (unsigned i = 0; i < 50; i++)
		harness_spawn(&harness, worker, 0);
	cpu = harness_open(&harness, attr_hw(SIM_CYCLES), NULL, 0, -1);
	fd = harness_open(&harness, attr_hw(SIM_INSTRUCTIONS), task, -1, -1);
	tally_sim_run(harness.sim, 8ull * SECOND);
	assert_true(harness_value(&harness, cpu) > 1ull << 32);
	assert_int_equal(harness_value(&harness, cpu), truth_cpu(&harness, 0, SIM_CYCLES));
	assert_int_equal(harness_value(&harness, fd), truth(&harness, task, 0, SIM_INSTRUCTIONS));
	harness_end(&harness);
}

/* A task opens an event on itself while it is running. */
static void open_self(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);

	attr.exclude_kernel = 1;
	*(int *)arg = tally_sim_open(sim, task, &attr, 0, -1, -1, 0);
}

static void read_self(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	uint64_t words[5];

	assert_int_equal(tally_sim_read(sim, task, *(int *)arg, words, sizeof(words)), 40);
	assert_int_equal(words[0], 3 * 10 * US);
	assert_int_equal(words[1], 15 * US);
}

static int self_fd;

static void a_task_counts_itself(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_RUN(SIM_USER, 5 * US, &harness_busy),
		SIM_CALL(open_self, &self_fd),
		SIM_RUN(SIM_USER, 10 * US, &harness_busy),
		SIM_RUN(SIM_KERNEL, 5 * US, &harness_busy),
		SIM_CALL(read_self, &self_fd),
		SIM_EXIT(),
	};
	struct harness harness;
	struct tally_sim_task *task;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script, 0);
	assert_true(tally_sim_run_until_exit(harness.sim, task, MS));
	assert_true(self_fd >= 0);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_event_follows_its_task),
		cmocka_unit_test(a_task_event_counts_on_a_host_without_task_cpu),
		cmocka_unit_test(a_cpu_event_counts_all_tasks_and_idle),
		cmocka_unit_test(a_task_event_on_a_cpu_counts_only_there),
		cmocka_unit_test(excluded_modes_are_not_counted),
		cmocka_unit_test(only_enabled_time_is_counted),
		cmocka_unit_test(counters_of_any_width_are_extended),
		cmocka_unit_test(counts_exceed_32_bits),
		cmocka_unit_test(a_task_counts_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
