/* SPDX-License-Identifier: BSD-2-Clause */
/* Software events and tracepoints on a machine without a PMU. */
#include "scripts.h"

static const struct tally_sim_config no_pmu;

static const struct tally_sim_step faulter[] = {
	SIM_LOOP(50),
	SIM_RUN(SIM_USER, 20 * US, NULL),
	SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1),
	SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1),
	SIM_STEP(SOFTWARE, .software = {.id = PERF_COUNT_SW_PAGE_FAULTS,
					.nr = 3,
					.mode = SIM_KERNEL,
					.ip = 0xffffffff81234560,
					.addr = 0xabc000}),
	SIM_SOFTWARE(PERF_COUNT_SW_ALIGNMENT_FAULTS, 7),
	SIM_RUN(SIM_KERNEL, 3 * US, NULL),
	SIM_SLEEP(2 * US),
	SIM_MIGRATE(1),
	SIM_RUN(SIM_USER, 1 * US, NULL),
	SIM_MIGRATE(0),
	SIM_END_LOOP(),
	SIM_EXIT(),
};

/* Count software events for a task and for a CPU, in all modes and in user mode only. */
static void software_events_count_tasks_and_cpus(void **state)
{
	static const uint32_t ids[] = {
		PERF_COUNT_SW_PAGE_FAULTS,     PERF_COUNT_SW_PAGE_FAULTS_MIN,
		PERF_COUNT_SW_PAGE_FAULTS_MAJ, PERF_COUNT_SW_CONTEXT_SWITCHES,
		PERF_COUNT_SW_CPU_MIGRATIONS,  PERF_COUNT_SW_ALIGNMENT_FAULTS,
		PERF_COUNT_SW_EMULATION_FAULTS};
	struct harness harness;
	struct tally_sim_task *task;
	int fds[7][3];

	harness_begin(&harness, 2, &no_pmu);
	task = harness_spawn(&harness, faulter, 0);
	harness_spawn(&harness, faulter, 0);
	tally_sim_run(harness.sim, 1);
	for (unsigned i = 0; i < 7; i++) {
		struct perf_event_attr attr = attr_sw(ids[i]);

		fds[i][0] = harness_open(&harness, attr, task, -1, -1);
		fds[i][1] = harness_open(&harness, attr, NULL, 0, -1);
		attr.exclude_kernel = 1;
		fds[i][2] = harness_open(&harness, attr, task, -1, -1);
	}
	assert_true(!truth(&harness, NULL, 0, SIM_SW + PERF_COUNT_SW_PAGE_FAULTS));
	tally_sim_run(harness.sim, 20 * MS);
	for (unsigned i = 0; i < 7; i++) {
		/* The events miss two switches: the CPU's first switch to the task, which precedes
		 * the opening of the events, and the last switch away from the task, after the
		 * task's events are gone. */
		uint64_t missed = ids[i] == PERF_COUNT_SW_CONTEXT_SWITCHES;

		assert_int_equal(harness_value(&harness, fds[i][0]),
				 truth(&harness, task, 0, SIM_SW + ids[i]) - missed);
		assert_int_equal(harness_value(&harness, fds[i][1]),
				 truth_cpu(&harness, 0, SIM_SW + ids[i]) - missed);
		assert_int_equal(harness_value(&harness, fds[i][2]),
				 truth(&harness, task, 1 << SIM_USER, SIM_SW + ids[i]));
	}
	harness_end(&harness);
}

/* If the host reports switches and migrations itself, only the reported ones are counted. */
static void only_reported_switches_are_counted(void **state)
{
	static const struct tally_sim_config tells = {.tells_switches = true};
	static const struct tally_sim_step switcher[] = {
		SIM_LOOP(10),
		SIM_RUN(SIM_USER, 20 * US, NULL),
		SIM_SLEEP(2 * US),
		SIM_MIGRATE(1),
		SIM_SOFTWARE(PERF_COUNT_SW_CONTEXT_SWITCHES, 5),
		SIM_RUN(SIM_USER, 1 * US, NULL),
		SIM_MIGRATE(0),
		SIM_SOFTWARE(PERF_COUNT_SW_CPU_MIGRATIONS, 3),
		SIM_END_LOOP(),
		SIM_EXIT(),
	};
	struct harness harness;
	struct tally_sim_task *task;
	int switches, migrations;

	harness_begin(&harness, 2, &tells);
	task = harness_spawn(&harness, switcher, 0);
	switches = harness_open(&harness, attr_sw(PERF_COUNT_SW_CONTEXT_SWITCHES), task, -1, -1);
	migrations = harness_open(&harness, attr_sw(PERF_COUNT_SW_CPU_MIGRATIONS), task, -1, -1);
	tally_sim_run(harness.sim, 20 * MS);
	assert_int_equal(harness_value(&harness, switches), 50);
	assert_int_equal(harness_value(&harness, migrations), 30);
	harness_end(&harness);
}

/* Cause page faults in all modes, and count them with each mode excluded in turn. */
static void excluded_modes_are_not_counted(void **state)
{
	static const struct {
		struct perf_event_attr attr;
		uint64_t count; /* a fault in mode n adds 10^n */
	} rows[] = {
		{{0}, 11111},
		{{.exclude_user = 1}, 1110},
		{{.exclude_kernel = 1}, 10101},
		{{.exclude_hv = 1}, 11011},
		{{.exclude_guest = 1}, 111},
		{{.exclude_host = 1}, 11000},
	};
	struct harness harness;
	struct tally_sim_task *task;
	int fds[6];

	harness_begin(&harness, 1, &no_pmu);
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < 6; i++) {
		struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_PAGE_FAULTS);

		attr.exclude_user = rows[i].attr.exclude_user;
		attr.exclude_kernel = rows[i].attr.exclude_kernel;
		attr.exclude_hv = rows[i].attr.exclude_hv;
		attr.exclude_guest = rows[i].attr.exclude_guest;
		attr.exclude_host = rows[i].attr.exclude_host;
		fds[i] = harness_open(&harness, attr, task, -1, -1);
	}
	for (uint64_t mode = SIM_USER, nr = 1; mode <= SIM_GUEST_USER; mode++, nr *= 10) {
		const struct tally_sim_step step = SIM_STEP(
			SOFTWARE,
			.software = {.id = PERF_COUNT_SW_PAGE_FAULTS, .nr = nr, .mode = mode});

		assert_int_equal(tally_sim_execute(harness.sim, task, &step), 0);
	}
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(harness_value(&harness, fds[i]), rows[i].count);
	harness_end(&harness);
}

/* task-clock counts the time of a task, and cpu-clock on a CPU counts wall-clock time. */
static void clocks_count_task_and_wall_time(void **state)
{
	struct harness harness;
	struct tally_sim_task *task;
	int of_task, of_cpu;

	harness_begin(&harness, 1, &no_pmu);
	harness_spawn(&harness, script_hog, 0);
	task = harness_spawn(&harness, script_worker, 0);
	of_task = harness_open(&harness, attr_sw(PERF_COUNT_SW_TASK_CLOCK), task, -1, -1);
	of_cpu = harness_open(&harness, attr_sw(PERF_COUNT_SW_CPU_CLOCK), NULL, 0, -1);
	for (unsigned i = 0; i < 50; i++) {
		tally_sim_run(harness.sim, 1234567);
		assert_int_equal(harness_value(&harness, of_task),
				 truth(&harness, task, 0, SIM_NS));
		assert_int_equal(harness_value(&harness, of_cpu), tally_sim_now(harness.sim));
	}
	harness_end(&harness);
}

/* Clocks sample by period and by frequency. Each sample shows what the task is executing. */
static void clocks_sample_at_their_period(void **state)
{
	for (unsigned freq = 0; freq < 2; freq++) {
		struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_CPU_CLOCK);
		struct harness harness;
		struct tally_sim_task *task;
		struct tally_ring *ring;
		struct record record;
		uint64_t samples = 0, kernel = 0;

		attr.sample_period = freq ? 10000 : 100 * US;
		attr.freq = freq;
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
		harness_begin(&harness, 1, &no_pmu);
		task = harness_spawn(&harness, script_worker, 0);
		ring = harness_map(&harness, harness_open(&harness, attr, task, -1, -1), 128);
		for (unsigned i = 0; i < 20; i++) {
			tally_sim_run(harness.sim, 10 * MS);
			for (; harness_record(ring, &attr, &record); samples++) {
				assert_int_equal(record.header->type, PERF_RECORD_SAMPLE);
				assert_int_equal(record.sample.tid, tally_sim_task_tid(task));
				kernel += record.sample.ip >> 63;
			}
		}
		assert_near(samples, truth(&harness, task, 0, SIM_NS) / (100 * US), samples / 20);
		/* The task spends 7 of 38 us in the kernel. */
		assert_near(kernel, samples * 7 / 38, samples / 10);
		tally_ring_unmap(ring);
		harness_end(&harness);
	}
}

/* Without a PMU, PMU events are rejected, but everything else works. */
static void hardware_events_are_rejected_without_a_pmu(void **state)
{
	struct perf_event_attr attr = attr_hw(0);
	struct harness harness;

	attr.type = PERF_TYPE_HARDWARE;
	harness_begin(&harness, 1, &no_pmu);
	assert_int_equal(harness_try(&harness, harness.observer, attr, 0, -1, -1), -ENOENT);
	assert_string_not_equal(tally_sim_refusal(harness.sim)->rule, "");
	assert_true(harness_try(&harness, harness.observer, attr_sw(PERF_COUNT_SW_DUMMY), 0, -1,
				-1) >= 0);
	harness_end(&harness);
}

/* Faults are sampled with several periods and with their addresses. */
static void faults_are_sampled_with_their_addresses(void **state)
{
	for (uint64_t period = 1; period < 8; period += 3) {
		struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_PAGE_FAULTS);
		struct harness harness;
		struct tally_sim_task *task;
		struct tally_ring *ring;
		struct record record;
		uint64_t samples = 0, kernel = 0;

		attr.sample_period = period;
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
		harness_begin(&harness, 2, &no_pmu);
		task = harness_spawn(&harness, faulter, 0);
		ring = harness_map(&harness, harness_open(&harness, attr, task, -1, -1), 8);
		tally_sim_run(harness.sim, 20 * MS);
		for (; harness_record(ring, &attr, &record); samples++)
			if (record.sample.ip >> 63) {
				assert_int_equal(record.sample.ip, 0xffffffff81234560);
				assert_int_equal(record.sample.addr, 0xabc000);
				kernel++;
			}
		assert_int_equal(samples, 200 / period);
		assert_true(kernel);
		tally_ring_unmap(ring);
		harness_end(&harness);
	}
}

/* ---- tracepoints ------------------------------------------------------------------ */

struct hit {
	uint32_t pid;
	int32_t prio;
	uint64_t bytes;
	char comm[8];
};

static const struct tally_core_field hit_fields[] = {
	{"pid", offsetof(struct hit, pid), 4, false, false},
	{"prio", offsetof(struct hit, prio), 4, true, false},
	{"bytes", offsetof(struct hit, bytes), 8, false, false},
	{"comm", offsetof(struct hit, comm), 8, false, true},
};
static const struct hit hits[] = {
	{7, -5, 4096, "bash"}, {8, 5, 1ull << 40, "cat"}, {9, 0, 0, "bashful"}};

static struct tally_core_tracepoint point;

static const struct tally_sim_step hitter[] = {
	SIM_LOOP(10),
	SIM_RUN(SIM_USER, 10 * US, NULL),
	SIM_HIT(&point, &hits[0], sizeof(hits[0])),
	SIM_HIT(&point, &hits[1], sizeof(hits[1])),
	SIM_HIT(&point, &hits[2], sizeof(hits[2])),
	SIM_END_LOOP(),
	SIM_EXIT(),
};

static void begin_points(struct harness *harness)
{
	harness_begin(harness, 1, &no_pmu);
	point = (struct tally_core_tracepoint){
		.system = "test", .name = "hit", .id = 42, .fields = hit_fields, .nr_fields = 4};
	assert_int_equal(tally_core_tracepoint_register(tally_sim_core(harness->sim), &point), 0);
	assert_int_equal(tally_core_tracepoint_register(tally_sim_core(harness->sim), &point),
			 -EEXIST);
	assert_ptr_equal(tally_core_tracepoint_find(tally_sim_core(harness->sim), "test", "hit"),
			 &point);
	assert_null(tally_core_tracepoint_find(tally_sim_core(harness->sim), "test", "miss"));
}

static struct perf_event_attr attr_point(void)
{
	struct perf_event_attr attr = attr_hw(42);

	attr.type = PERF_TYPE_TRACEPOINT;
	return attr;
}

/* Raw data is passed on unchanged. */
static void raw_data_is_passed_on_unchanged(void **state)
{
	struct perf_event_attr attr = attr_point();
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;
	unsigned n = 0;
	int fd;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME;
	begin_points(&harness);
	task = harness_spawn(&harness, hitter, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 8);
	tally_sim_run(harness.sim, MS);
	for (; harness_record(ring, &attr, &record); n++) {
		assert_true(record.sample.raw.len >= sizeof(struct hit));
		assert_memory_equal(record.sample.raw.data, &hits[n % 3], sizeof(struct hit));
	}
	assert_int_equal(n, 30);
	assert_int_equal(harness_value(&harness, fd), 30);
	attr.config = 43;
	assert_true(harness_try(&harness, harness.observer, attr, 0, -1, -1) < 0);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Each row has a filter and the hits (out of three) that pass it. Rows for invalid filters have the
 * expected error. */
static void filters_select_hits(void **state)
{
	static const struct {
		const char *text;
		unsigned passes; /* bitmask */
		int ret;
	} filters[] = {
		{"pid == 8", 2, 0},
		{"pid != 8", 5, 0},
		{"prio < 0", 1, 0},
		{"prio >= 0 && pid > 8", 4, 0},
		{"prio <= -5 || bytes > 4096", 3, 0},
		{"(pid == 7 || pid == 9) && bytes == 0", 4, 0},
		{"bytes == 0x10000000000", 2, 0},
		{"comm == \"bash\"", 1, 0},
		{"comm ~ \"bash*\"", 5, 0},
		{"!(pid == 7)", 6, 0},
		{"bytes & 4096", 1, 0},
		{"nosuch == 1", 7, -EINVAL},
		{"pid ==", 7, -EINVAL},
		{"pid == 1 &&", 7, -EINVAL},
		{"(pid == 1", 7, -ENOENT}, /* the same error as Linux */
		{"comm > \"x\"", 7, -EINVAL},
	};

	for (unsigned i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct harness harness;
		struct tally_sim_task *task;
		int fd, ret;

		begin_points(&harness);
		task = harness_spawn(&harness, hitter, 0);
		fd = harness_open(&harness, attr_point(), task, -1, -1);
		ret = tally_sim_ioctl(harness.sim, harness.observer, fd, PERF_EVENT_IOC_SET_FILTER,
				      (uintptr_t)filters[i].text);
		if (ret != filters[i].ret)
			fail_msg("%s: %d", filters[i].text, ret);
		tally_sim_run(harness.sim, MS);
		if (harness_value(&harness, fd) !=
		    10u * (unsigned)__builtin_popcount(filters[i].passes))
			fail_msg("%s: %u hits", filters[i].text,
				 (unsigned)harness_value(&harness, fd));
		harness_end(&harness);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(software_events_count_tasks_and_cpus),
		cmocka_unit_test(only_reported_switches_are_counted),
		cmocka_unit_test(excluded_modes_are_not_counted),
		cmocka_unit_test(clocks_count_task_and_wall_time),
		cmocka_unit_test(clocks_sample_at_their_period),
		cmocka_unit_test(hardware_events_are_rejected_without_a_pmu),
		cmocka_unit_test(faults_are_sampled_with_their_addresses),
		cmocka_unit_test(raw_data_is_passed_on_unchanged),
		cmocka_unit_test(filters_select_hits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
