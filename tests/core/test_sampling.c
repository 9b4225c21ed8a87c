/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare the number of samples with the truth, and check the samples' contents. */
#include "base/arith.h"
#include "scripts.h"

static struct perf_event_attr attr_sampling(unsigned signal, uint64_t period)
{
	struct perf_event_attr attr = attr_hw(signal);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	return attr;
}

/* Test counters of all widths, with ranges that are shorter or longer than the period, and
 * interrupts that irq_save may or may not mask. There must be floor(truth / period) samples, and
 * their periods must add up. */
static void there_is_one_sample_per_period(void **state)
{
	static const uint64_t periods[] = {1000, 4099, 65536, 1000003, 50000017};

	for (unsigned i = 0; i < 5; i++)
		for (uint8_t width = 8; width <= 64; width += 7) {
			struct perf_event_attr attr = attr_sampling(SIM_CYCLES, periods[i]);
			struct tally_sim_pmu pmu = harness_pmu;
			struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
			struct harness harness;
			struct tally_sim_task *task;
			struct tally_ring *ring;
			struct ring_totals tale = {0};
			uint64_t cycles;
			int fd;

			pmu.width = width;
			pmu.maskable = width & 1;
			harness_begin(&harness, 1, &config);
			tally_core_settings(tally_sim_core(harness.sim))->max_sample_rate =
				10000000;
			harness_spawn(&harness, script_worker, 0);
			task = harness_spawn(&harness, script_worker, 0);
			fd = harness_open(&harness, attr, task, -1, -1);
			ring = harness_map(&harness, fd, 64);
			for (unsigned j = 0; j < 30; j++) {
				tally_sim_run(harness.sim, 333333);
				harness_drain(ring, &attr, &tale);
			}
			cycles = truth(&harness, task, 0, SIM_CYCLES);
			assert_int_equal(tale.samples, cycles / periods[i]);
			assert_int_equal(tale.periods, tale.samples * periods[i]);
			assert_int_equal(tale.lost + tale.throttles + tale.others, 0);
			assert_int_equal(harness_value(&harness, fd), cycles);
			tally_ring_unmap(ring);
			harness_end(&harness);
		}
}

/* Samples do not drift. At the nth sample the count is still n periods, even after a thousand
 * samples. */
static void samples_do_not_drift(void **state)
{
	static const uint64_t periods[] = {3001, 70001, 1000003};

	for (unsigned i = 0; i < 3; i++) {
		struct perf_event_attr attr = attr_sampling(SIM_CYCLES, periods[i]);
		struct harness harness;
		struct tally_sim_task *task;
		struct tally_ring *ring;
		struct record record;
		uint64_t n = 0;
		int fd;

		attr.sample_type |= PERF_SAMPLE_READ;
		attr.read_format = 0;
		harness_begin(&harness, 1, NULL);
		tally_core_settings(tally_sim_core(harness.sim))->max_sample_rate = 10000000;
		harness_spawn(&harness, script_worker, 0);
		task = harness_spawn(&harness, script_worker, 0);
		fd = harness_open(&harness, attr, task, -1, -1);
		ring = harness_map(&harness, fd, 256);
		for (unsigned j = 0; j < 100 && n < 1000; j++) {
			tally_sim_run(harness.sim, 20 * MS);
			while (harness_record(ring, &attr, &record)) {
				assert_int_equal(record.header->type, PERF_RECORD_SAMPLE);
				assert_in_range(record.sample.read.single.value - ++n * periods[i],
						0, 3);
			}
		}
		assert_true(n >= 1000);
		tally_ring_unmap(ring);
		harness_end(&harness);
	}
}

/* Even though the interrupt is late, no sample is missing, and the count is correct. */
static void skid_loses_no_samples(void **state)
{
	struct perf_event_attr attr = attr_sampling(SIM_INSTRUCTIONS, 100000);
	struct tally_sim_pmu pmu = harness_pmu;
	struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals tale = {0};
	int fd;

	pmu.skid_ns = 700;
	harness_begin(&harness, 1, &config);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 64);
	tally_sim_run(harness.sim, 20 * MS);
	harness_drain(ring, &attr, &tale);
	assert_near(tale.samples, truth(&harness, task, 0, SIM_INSTRUCTIONS) / 100000, 1);
	assert_int_equal(harness_value(&harness, fd), truth(&harness, task, 0, SIM_INSTRUCTIONS));
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Check the context markers and the callchain. Samples in the kernel also have a user callchain. */
static void check_chain(const struct tally_sample *sample, bool kernel)
{
	assert_int_equal(sample->callchain.nr, kernel ? 4 + 6 : 6);
	assert_int_equal(tally_words_get(sample->callchain, 0),
			 (uint64_t)(kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER));
	assert_int_equal(tally_words_get(sample->callchain, 1), sample->ip);
	assert_int_equal(tally_words_get(sample->callchain, 2), sample->ip + 0x1000);
	if (kernel)
		assert_int_equal(tally_words_get(sample->callchain, 4),
				 (uint64_t)PERF_CONTEXT_USER);
}

/* Check the nth sample in samples_have_location_task_and_time(). Returns true if the sample is in
 * the kernel. */
static bool check_content(const struct record *record, uint64_t n, struct tally_sim_task *task)
{
	const struct tally_sample *sample = &record->sample;
	bool kernel = sample->ip >> 63;
	uint64_t ip = kernel ? 0xffffffff80001000 : 0x7000;

	assert_int_equal(record->header->type, PERF_RECORD_SAMPLE);
	assert_int_equal(record->header->misc & PERF_RECORD_MISC_CPUMODE_MASK,
			 kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	assert_in_range(sample->ip, ip, ip + (kernel ? 0x3f : 0xff));
	assert_int_equal(sample->tid, tally_sim_task_tid(task));
	assert_int_equal(sample->pid, tally_sim_task_pid(task));
	assert_int_equal(sample->cpu, 1);
	assert_int_equal(sample->addr, kernel ? 0 : 0x1234);
	assert_int_equal(sample->id, sample->identifier);
	assert_int_equal(sample->period, 29989);
	assert_near(sample->time, n * 29989 / 3, 1);
	assert_int_equal(sample->read.time_enabled, sample->time);
	assert_near(sample->read.single.value, n * 29989, 3);
	check_chain(sample, kernel);
	return kernel;
}

/* Samples contain the location, the task and the time. */
static void samples_have_location_task_and_time(void **state)
{
	static const struct tally_sim_step script[] = {
		SIM_LOOP(0),
		SIM_SEGMENT(.mode = SIM_USER, .ns = 50 * US, .rates = &harness_busy, .ip = 0x7000,
			    .ip_len = 0x100, .addr = 0x1234, .depth = 5),
		SIM_SEGMENT(.mode = SIM_KERNEL, .ns = 50 * US, .rates = &harness_busy,
			    .ip = 0xffffffff80001000, .ip_len = 0x40, .depth = 3),
		SIM_END_LOOP()};
	struct perf_event_attr attr = attr_sampling(SIM_CYCLES, 29989);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;
	unsigned modes[2] = {0};
	int fd;

	attr.sample_type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_ID |
			    PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_READ | PERF_SAMPLE_IDENTIFIER |
			    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_PHYS_ADDR;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	harness_begin(&harness, 2, NULL);
	task = harness_spawn(&harness, script, 1);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 64);
	tally_sim_run(harness.sim, MS);
	for (uint64_t n = 1; harness_record(ring, &attr, &record); n++) {
		modes[check_content(&record, n, task)]++;
		assert_int_equal(record.sample.identifier, harness_id(&harness, fd));
	}
	assert_int_equal(modes[0] + modes[1], 3 * MS / 29989);
	assert_true(modes[0] && modes[1]);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* REFRESH allows n overflows, each of which causes a wakeup. After the last overflow, the event
 * hangs up and is disabled. */
static void refresh_allows_n_overflows(void **state)
{
	struct perf_event_attr attr = attr_sampling(SIM_CYCLES, 30000);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	uint64_t before;
	int fd;

	attr.disabled = 1;
	attr.wakeup_events = 1;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 16);
	for (unsigned n = 1; n < 20; n++) {
		struct tally_sim_notifications notices =
			tally_sim_notifications(harness.sim, harness.observer, fd);
		struct tally_sim_notifications after;
		struct ring_totals tale = {0};

		before = harness_value(&harness, fd);
		harness_ioctl(&harness, fd, PERF_EVENT_IOC_REFRESH, n);
		tally_sim_run(harness.sim, 3 * MS);
		harness_drain(ring, &attr, &tale);
		after = tally_sim_notifications(harness.sim, harness.observer, fd);
		assert_int_equal(tale.samples, n);
		assert_int_equal(after.hup - notices.hup, 1);
		assert_int_equal(after.in + after.hup - notices.in - notices.hup, n);
		assert_true(tally_sim_poll(harness.sim, harness.observer, fd));
		/* The event stopped at the last overflow. */
		assert_near(harness_value(&harness, fd) - before, n * 30000, 3 * n);
	}
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Another REFRESH before the limit is used up adds to the limit. */
static void refresh_limits_add_up(void **state)
{
	struct perf_event_attr attr = attr_sampling(SIM_CYCLES, 30000);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals tale = {0};
	int fd;

	attr.disabled = 1;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 16);
	harness_ioctl(&harness, fd, PERF_EVENT_IOC_REFRESH, 5);
	tally_sim_run(harness.sim, 25 * US);
	harness_ioctl(&harness, fd, PERF_EVENT_IOC_REFRESH, 7);
	tally_sim_run(harness.sim, MS);
	harness_drain(ring, &attr, &tale);
	assert_int_equal(tale.samples, 12);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* PERF_EVENT_IOC_PERIOD takes effect with the next sample. */
static void ioc_period_applies_to_the_next_sample(void **state)
{
	struct perf_event_attr attr = attr_sampling(SIM_CYCLES, 30000);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals slow = {0}, fast = {0};
	uint64_t period = 3000;
	int fd;

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 64);
	tally_sim_run(harness.sim, MS);
	harness_drain(ring, &attr, &slow);
	harness_ioctl(&harness, fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period);
	tally_sim_run(harness.sim, MS / 10);
	harness_drain(ring, &attr, &fast);
	assert_near(slow.samples, 100, 1);
	assert_near(fast.samples, 100, 10);
	assert_int_equal(harness_value(&harness, fd), truth(&harness, task, 0, SIM_CYCLES));
	tally_ring_unmap(ring);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_one_sample_per_period),
		cmocka_unit_test(samples_do_not_drift),
		cmocka_unit_test(skid_loses_no_samples),
		cmocka_unit_test(samples_have_location_task_and_time),
		cmocka_unit_test(refresh_allows_n_overflows),
		cmocka_unit_test(refresh_limits_add_up),
		cmocka_unit_test(ioc_period_applies_to_the_next_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
