/* SPDX-License-Identifier: BSD-2-Clause */
/* Run the design document's examples (attr, reads, record stream and calls) as written, through
 * tally/classic.h on the core, and compare the results with the truth. */
#include "base/arith.h"
#include "base/endian.h"
#include "harness.h"
#include "tally/classic.h"

enum { PAGE = 4096 };

/* Rates of all generalized events, and of the document's raw event. */
static const struct tally_sim_rates busy = {.per_ms = {[SIM_CYCLES] = 3000000,
						       [SIM_INSTRUCTIONS] = 4242427,
						       [SIM_CACHE_REFERENCES] = 70001,
						       [SIM_CACHE_MISSES] = 1009,
						       [SIM_BRANCHES] = 600011,
						       [SIM_BRANCH_MISSES] = 3001,
						       [SIM_BUS_CYCLES] = 100003,
						       [SIM_EXTRA] = 5003}};
static const struct tally_sim_step worker[] = {SIM_LOOP(0), SIM_RUN(SIM_USER, 31 * US, &busy),
					       SIM_RUN(SIM_KERNEL, 7 * US, &harness_calm),
					       SIM_END_LOOP()};
static const struct tally_sim_step sleeper[] = {SIM_LOOP(0), SIM_SLEEP(SECOND), SIM_END_LOOP()};

static struct tally_classic *perf; /* belongs to the observer */

static void classic_begin(struct harness *harness, uint32_t nr_cpus,
			  const struct tally_sim_config *config)
{
	harness_begin(harness, nr_cpus, config);
	assert_int_equal(tally_classic_new(&harness->transport.transport, &perf), 0);
}

static void classic_end(struct harness *harness)
{
	tally_classic_free(perf);
	harness_end(harness);
}

static int classic_open(struct tally_classic_attr attr, const struct tally_sim_task *task,
			int group_fd)
{
	int fd = tally_classic_open(perf, &attr, tally_sim_task_tid(task), -1, group_fd, 0);

	assert_true(fd >= 0);
	return fd;
}

/* Read an event and return the number of u64 values. */
static size_t classic_read(int fd, uint64_t ret_words[3])
{
	int64_t len = tally_classic_read(perf, fd, ret_words, 3 * sizeof(uint64_t));

	assert_true(len >= 0);
	return (size_t)len / 8;
}

static uint64_t classic_value(int fd)
{
	uint64_t words[3];

	assert_true(classic_read(fd, words) >= 1);
	return words[0];
}

static void classic_ioctl(int fd, unsigned long request, unsigned long arg)
{
	assert_int_equal(tally_classic_ioctl(perf, fd, request, arg), 0);
}

/* Test the seven generalized events and the document's raw event, "external bus cycles while bus
 * lock signal asserted", with all read formats. */
static void generalized_and_raw_events_are_counted(void **state)
{
	for (uint32_t i = 0; i < 8 * 4; i++) {
		uint64_t config = i / 4 < 7 ? i / 4 : TALLY_CLASSIC_RAW(0x4064);
		unsigned signal = i / 4 < 7 ? i / 4 : SIM_EXTRA;
		int event;
		struct harness harness;
		uint64_t words[3];
		size_t nr = 0;
		struct tally_sim_task *task;

		classic_begin(&harness, 1, NULL);
		task = harness_spawn(&harness, worker, 0);
		event = classic_open(
			(struct tally_classic_attr){.config = config, .read_format = i % 4}, task,
			-1);
		tally_sim_run(harness.sim, 3 * MS + 7);
		assert_int_equal(classic_read(event, words), 1 + (i % 4 & 1) + (i % 4 >> 1));
		assert_true(words[0] > 0);
		assert_int_equal(words[nr++], truth(&harness, task, 0, signal));
		while (nr < 1 + (i % 4 & 1) + (i % 4 >> 1))
			assert_int_equal(words[nr++], truth(&harness, task, 0, SIM_NS));
		classic_end(&harness);
	}
}

/* "If a CPU is not able to count the selected event, then the system call will return -EINVAL." */
static void events_that_the_cpu_cannot_count_are_einval(void **state)
{
	struct tally_sim_pmu pmu = harness_pmu;
	struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
	struct tally_classic_attr bus = {.config = PERF_COUNT_HW_BUS_CYCLES},
				  cycles = {.config = PERF_COUNT_HW_CPU_CYCLES};
	struct harness harness;

	pmu.absent = 1u << SIM_BUS_CYCLES;
	classic_begin(&harness, 1, &config);
	assert_int_equal(tally_classic_open(perf, &bus, 0, -1, -1, 0), -EINVAL);
	assert_null(tally_classic_why(perf).text);
	assert_true(tally_classic_open(perf, &cycles, 0, -1, -1, 0) >= 0);
	classic_end(&harness);
}

/* "One can establish the overcommit ratio": five events share four counters, and counts scaled by
 * enabled / running are within 2 % of the truth. */
static void overcommitted_counts_scale_to_the_truth(void **state)
{
	int events[5];
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t words[3];

	classic_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	for (unsigned i = 0; i < 5; i++)
		events[i] = classic_open((struct tally_classic_attr){.config = i, .read_format = 3},
					 task, -1);
	tally_sim_run(harness.sim, 2ull * SECOND);
	for (unsigned i = 0; i < 5; i++) {
		uint64_t wanted = truth(&harness, task, 0, i);

		assert_int_equal(classic_read(events[i], words), 3);
		assert_true(words[2] < words[1]);
		assert_near(tally_mul_div(words[0], words[1], words[2]), wanted, wanted / 50);
	}
	classic_end(&harness);
}

/* Cause software event `id` to occur id + 1 times, and check that exactly this number is
 * counted. */
static void software_events_are_counted(void **state)
{
	for (uint32_t id = PERF_COUNT_SW_PAGE_FAULTS; id <= PERF_COUNT_SW_EMULATION_FAULTS; id++) {
		int event;
		struct harness harness;
		struct tally_sim_task *task;

		if (id == PERF_COUNT_SW_CONTEXT_SWITCHES || id == PERF_COUNT_SW_CPU_MIGRATIONS)
			continue;
		classic_begin(&harness, 1, NULL);
		task = harness_spawn(&harness, worker, 0);
		tally_sim_run(harness.sim, US);
		event = classic_open((struct tally_classic_attr){.config = 1ull << 56 | id}, task,
				     -1);
		tally_sim_execute(harness.sim, task,
				  &(struct tally_sim_step)SIM_SOFTWARE(id, id + 1));
		assert_int_equal(classic_value(event), id + 1);
		classic_end(&harness);
	}
}

/* The core itself counts cpu-clock, task-clock, context switches and migrations. */
static void clocks_switches_and_migrations_are_counted(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_LOOP(0),    SIM_RUN(SIM_USER, 10 * US, NULL), SIM_SLEEP(10 * US),
		SIM_MIGRATE(1), SIM_RUN(SIM_USER, 10 * US, NULL), SIM_MIGRATE(0),
		SIM_END_LOOP()};
	static const uint32_t ids[] = {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK,
				       PERF_COUNT_SW_CONTEXT_SWITCHES,
				       PERF_COUNT_SW_CPU_MIGRATIONS};
	int events[4];
	struct harness harness;
	struct tally_sim_task *task;

	classic_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, script, 0);
	for (int i = 0; i < 4; i++)
		events[i] = classic_open((struct tally_classic_attr){.config = 1ull << 56 | ids[i]},
					 task, -1);
	tally_sim_run(harness.sim, 3 * MS);
	assert_int_equal(classic_value(events[0]), truth(&harness, task, 0, SIM_NS));
	assert_int_equal(classic_value(events[1]), truth(&harness, task, 0, SIM_NS));
	for (int i = 2; i < 4; i++)
		assert_int_equal(classic_value(events[i]),
				 truth(&harness, task, 0, SIM_SW + ids[i]));
	classic_end(&harness);
}

/* ---- the record stream --------------------------------------------------------------------- */

/* Map a ring with `pages` data pages. */
static void classic_map(int fd, size_t pages)
{
	const struct tally_classic_page *page;

	assert_int_equal(tally_classic_mmap(perf, fd, (1 + pages) * PAGE, &page), 0);
	assert_int_equal(page->data_head, 0);
}

/* "Interrupts every N events": each overflow writes a record with all six fields to the buffer. */
static void each_overflow_is_in_the_buffer(void **state)
{
	int events[2];
	struct harness harness;
	struct tally_sim_task *task;
	const struct tally_classic_header *record;
	uint64_t nr = 0, last_time = 0;

	classic_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	events[0] = classic_open((struct tally_classic_attr){.config = PERF_COUNT_HW_INSTRUCTIONS,
							     .irq_period = 10000,
							     .record_type = 63,
							     .wakeup_events = 1},
				 task, -1);
	events[1] = classic_open((struct tally_classic_attr){.config = 0}, task, events[0]);
	classic_map(events[0], 16);
	tally_sim_run(harness.sim, MS);
	while ((record = tally_classic_next(perf, events[0]))) {
		struct tally_classic_sample sample;

		assert_int_equal(tally_classic_sample_decode(record, &sample), 0);
		assert_int_equal(record->type, 63);
		assert_true(record->misc & TALLY_CLASSIC_MISC_OVERFLOW);
		assert_int_equal(sample.pid, tally_sim_task_pid(task));
		assert_int_equal(sample.tid, tally_sim_task_tid(task));
		assert_true(sample.time > last_time);
		last_time = sample.time;
		assert_int_equal(sample.nr_group, 2);
		assert_int_equal(sample.group[0], PERF_COUNT_HW_INSTRUCTIONS);
		/* Counting continues until the interrupt is handled, up to a nanosecond later. */
		nr++;
		assert_in_range(sample.group[1], nr * 10000, nr * 10000 + 20);
		assert_int_equal(sample.group[2], PERF_COUNT_HW_CPU_CYCLES);
		assert_int_equal(record->size, 88 + 8 * sample.nr);
	}
	assert_int_equal(nr, truth(&harness, task, 0, SIM_INSTRUCTIONS) / 10000);
	classic_end(&harness);
}

/* Raw events are machine-specific: other raw encodings either count the same as a generalized event
 * or are rejected. Raw events can also sample. */
static void raw_events_count_or_are_rejected(void **state)
{
	struct tally_classic_attr nothing = {.config = TALLY_CLASSIC_RAW(0x4065)};
	const struct tally_classic_header *record;
	struct tally_sim_task *task;
	struct harness harness;
	int raw, cycles, samples;
	uint64_t nr = 0;

	classic_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	assert_int_equal(tally_classic_open(perf, &nothing, 0, -1, -1, 0), -EINVAL);
	raw = classic_open((struct tally_classic_attr){.config = TALLY_CLASSIC_RAW(0x3c)}, task,
			   -1);
	cycles = classic_open((struct tally_classic_attr){.config = PERF_COUNT_HW_CPU_CYCLES}, task,
			      -1);
	samples = classic_open((struct tally_classic_attr){.config = TALLY_CLASSIC_RAW(0x4064),
							   .irq_period = 100,
							   .record_type = TALLY_CLASSIC_RECORD_IP},
			       task, -1);
	classic_map(samples, 16);
	tally_sim_run(harness.sim, 3 * MS);
	assert_true(classic_value(raw) > 0);
	assert_int_equal(classic_value(raw), classic_value(cycles));
	while ((record = tally_classic_next(perf, samples)))
		nr += record->misc >> 2;
	assert_true(nr > 0);
	assert_int_equal(nr, truth(&harness, task, 0, SIM_EXTRA) / 100);
	classic_end(&harness);
}

/* Comm records and mmap records for PROT_EXEC mappings are written, but not record types that the
 * document does not define. */
static void comms_and_mappings_are_recorded(void **state)
{
	static const struct tally_core_mapping mapping = {.addr = 0x400000,
							  .len = 0x2000,
							  .pgoff = 3,
							  .executable = true,
							  .filename = "/bin/true"};
	int event;
	struct harness harness;
	struct tally_sim_task *task;
	const struct tally_classic_header *record;
	const struct tally_classic_comm_record *name;
	const struct tally_classic_mmap_record *map;

	classic_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, sleeper, 0);
	tally_sim_run(harness.sim, US);
	event = classic_open(
		(struct tally_classic_attr){.config = 1ull << 56, .mmap = 1, .comm = 1}, task, -1);
	classic_map(event, 1);
	tally_sim_execute(harness.sim, task, &(struct tally_sim_step)SIM_COMM("renamed"));
	tally_sim_execute(harness.sim, task, &(struct tally_sim_step)SIM_FORK(sleeper));
	tally_sim_execute(harness.sim, task, &(struct tally_sim_step)SIM_MAP(&mapping));
	record = tally_classic_next(perf, event);
	assert_non_null(record);
	assert_int_equal(record->type, TALLY_CLASSIC_COMM);
	name = (const struct tally_classic_comm_record *)(const void *)record;
	assert_int_equal(name->tid, tally_sim_task_tid(task));
	assert_string_equal(name->comm, "renamed");
	record = tally_classic_next(perf, event);
	assert_non_null(record);
	assert_int_equal(record->type, TALLY_CLASSIC_MMAP);
	map = (const struct tally_classic_mmap_record *)(const void *)record;
	assert_int_equal(map->addr, mapping.addr);
	assert_int_equal(map->len, mapping.len);
	assert_int_equal(map->pgoff, mapping.pgoff);
	assert_string_equal(map->filename, mapping.filename);
	assert_null(tally_classic_next(perf, event));
	classic_end(&harness);
}

static void report_munmap(struct harness *harness, int fd)
{
	tally_core_event_emit_munmap(tally_sim_core(harness->sim),
				     tally_sim_event(harness->sim, harness->observer, fd));
}

/* Unmapping a PROT_EXEC mapping is recorded. With `munmap` but without `mmap`, there are no other
 * records. */
static void removed_mappings_are_recorded(void **state)
{
	static const struct tally_core_mapping mapping = {
		.addr = 0x500000, .len = 0x3000, .executable = true, .filename = "/lib/gone"};
	struct tally_classic_attr classic = {.config = 1ull << 56, .munmap = 1};
	int event;
	struct harness harness;
	struct tally_sim_task *task;
	const struct tally_classic_header *record;
	const struct tally_classic_mmap_record *map;

	classic_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, sleeper, 0);
	tally_sim_run(harness.sim, US);
	event = classic_open(classic, task, -1);
	report_munmap(&harness, event);
	classic_map(event, 1);
	tally_sim_execute(harness.sim, task, &(struct tally_sim_step)SIM_MAP(&mapping));
	tally_sim_execute(harness.sim, task, &(struct tally_sim_step)SIM_UNMAP(&mapping));
	record = tally_classic_next(perf, event);
	assert_non_null(record);
	assert_int_equal(record->type, TALLY_CLASSIC_MUNMAP);
	map = (const struct tally_classic_mmap_record *)(const void *)record;
	assert_int_equal(map->tid, tally_sim_task_tid(task));
	assert_int_equal(map->addr, mapping.addr);
	assert_int_equal(map->len, mapping.len);
	assert_string_equal(map->filename, mapping.filename);
	assert_null(tally_classic_next(perf, event));
	classic_end(&harness);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) and _DISABLE, alone and with PERF_IOC_FLAG_GROUP. */
static void enable_and_disable_affect_an_event_or_its_group(void **state)
{
	int leader, member;
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t before, counted;

	classic_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	leader = classic_open((struct tally_classic_attr){.disabled = 1}, task, -1);
	member =
		classic_open((struct tally_classic_attr){.config = 1, .disabled = 1}, task, leader);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(classic_value(leader), 0);
	before = truth(&harness, task, 0, SIM_CYCLES);
	classic_ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	tally_sim_run(harness.sim, MS);
	classic_ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	counted = truth(&harness, task, 0, SIM_CYCLES) - before;
	assert_int_equal(classic_value(leader), counted);
	assert_int_equal(classic_value(member), 0);
	before = truth(&harness, task, 0, SIM_INSTRUCTIONS);
	classic_ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(classic_value(member),
			 truth(&harness, task, 0, SIM_INSTRUCTIONS) - before);
	classic_end(&harness);
}

/* ioctl(fd, PERF_EVENT_IOC_REFRESH, nr): the event is enabled for nr overflows and then disabled
 * again. */
static void refresh_enables_for_n_overflows(void **state)
{
	int event;
	struct harness harness;
	struct tally_sim_task *task;
	uint64_t stopped;

	classic_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, worker, 0);
	event = classic_open((struct tally_classic_attr){.config = 1ull << 56 | 2,
							 .irq_period = 3,
							 .disabled = 1},
			     task, -1);
	classic_ioctl(event, PERF_EVENT_IOC_REFRESH, 2);
	for (int i = 0; i < 10; i++)
		tally_sim_execute(
			harness.sim, task,
			&(struct tally_sim_step)SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1));
	stopped = classic_value(event);
	assert_int_equal(stopped, 6);
	classic_end(&harness);
}

static void call_prctl(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	assert_int_equal(tally_core_prctl_attached(tally_sim_core(sim), tally_sim_task_perf(task),
						   *(int *)arg),
			 0);
}

static void prctl_as(struct harness *harness, struct tally_sim_task *task, int option)
{
	assert_int_equal(tally_sim_execute(harness->sim, task,
					   &(struct tally_sim_step)SIM_CALL(call_prctl, &option)),
			 0);
}

/* prctl(): "all counters on the current process, whether created by this process or by another, and
 * doesn't affect any counters that this process has created on other processes. It only enables or
 * disables the group leaders, not any other members." */
static void prctl_affects_leaders_on_the_caller(void **state)
{
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	int leader, member;
	struct harness harness;
	struct tally_sim_task *task, *other;
	uint64_t before, stopped, elsewhere;
	int fd;

	classic_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, worker, 0);
	other = harness_spawn(&harness, worker, 1);
	tally_sim_run(harness.sim, US);
	attr.read_format = 0;
	/* Open the observer's events on the task, and the task's event on another task. */
	leader = classic_open((struct tally_classic_attr){.config = 0}, task, -1);
	member =
		classic_open((struct tally_classic_attr){.config = 1, .disabled = 1}, task, leader);
	tally_sim_task_set_caps(task, ALL_CAPS);
	fd = harness_try(&harness, task, attr, tally_sim_task_tid(other), -1, -1);
	assert_true(fd >= 0);
	elsewhere = truth(&harness, other, 0, SIM_CYCLES);
	prctl_as(&harness, task, TALLY_CLASSIC_PRCTL_DISABLE);
	stopped = classic_value(leader);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(classic_value(leader), stopped);
	before = truth(&harness, task, 0, SIM_CYCLES);
	prctl_as(&harness, task, TALLY_CLASSIC_PRCTL_ENABLE);
	tally_sim_run(harness.sim, MS);
	assert_int_equal(classic_value(leader),
			 stopped + truth(&harness, task, 0, SIM_CYCLES) - before);
	assert_int_equal(classic_value(member), 0);
	assert_int_equal(tally_sim_read(harness.sim, task, fd, &before, sizeof(before)),
			 sizeof(before));
	assert_int_equal(before, truth(&harness, other, 0, SIM_CYCLES) - elsewhere);
	classic_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generalized_and_raw_events_are_counted),
		cmocka_unit_test(events_that_the_cpu_cannot_count_are_einval),
		cmocka_unit_test(raw_events_count_or_are_rejected),
		cmocka_unit_test(overcommitted_counts_scale_to_the_truth),
		cmocka_unit_test(software_events_are_counted),
		cmocka_unit_test(clocks_switches_and_migrations_are_counted),
		cmocka_unit_test(each_overflow_is_in_the_buffer),
		cmocka_unit_test(comms_and_mappings_are_recorded),
		cmocka_unit_test(removed_mappings_are_recorded),
		cmocka_unit_test(enable_and_disable_affect_an_event_or_its_group),
		cmocka_unit_test(refresh_enables_for_n_overflows),
		cmocka_unit_test(prctl_affects_leaders_on_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
