/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampling at the requested frequency, limited by the maximum rate. */
#include <inttypes.h>

#include "scripts.h"

static struct perf_event_attr attr_sampling(unsigned signal, uint64_t period)
{
	struct perf_event_attr attr = attr_hw(signal);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	return attr;
}

/* Return the number of samples in one second of a constant load, after letting the period adapt for
 * one second. */
static uint64_t settled_rate(const struct tally_sim_step *script, struct perf_event_attr attr,
			     bool on_cpu)
{
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals tale = {0};

	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script, 0);
	ring = harness_map(&harness,
			   on_cpu ? harness_open(&harness, attr, NULL, 0, -1)
				  : harness_open(&harness, attr, task, -1, -1),
			   256);
	for (unsigned i = 0; i < 200; i++) {
		tally_sim_run(harness.sim, 10 * MS);
		if (i == 99)
			harness_drain(ring, &attr, &tale);
		if (i == 99)
			tale = (struct ring_totals){0};
		if (i > 99)
			harness_drain(ring, &attr, &tale);
	}
	assert_int_equal(tale.lost, 0);
	tally_ring_unmap(ring);
	harness_end(&harness);
	return tale.samples;
}

/* In frequency mode, the rate is within 5 % of the requested rate for loads from 1,009 to four
 * million events per millisecond. */
static void the_requested_frequency_is_reached(void **state)
{
	static const unsigned signals[] = {SIM_CYCLES, SIM_INSTRUCTIONS, SIM_CACHE_MISSES,
					   SIM_BRANCHES};
	static const uint64_t rates[] = {100, 997, 4000, 20000};

	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; j < 4; j++) {
			struct perf_event_attr attr = attr_sampling(signals[i], rates[j]);
			uint64_t samples;

			attr.freq = 1;
			samples = settled_rate(script_hog, attr, i & 1);
			if (samples < rates[j] * 95 / 100 || samples > rates[j] * 105 / 100)
				fail_msg("signal %u at %" PRIu64 " Hz: %" PRIu64 " samples",
					 signals[i], rates[j], samples);
		}
}

/* If the load sleeps from time to time, the rate applies to its running time. */
static void the_frequency_applies_to_running_time(void **state)
{
	static const struct tally_sim_step pieces[] = {SIM_LOOP(0),
						       SIM_RUN(SIM_USER, 6 * MS, &harness_busy),
						       SIM_SLEEP(6 * MS), SIM_END_LOOP()};
	struct perf_event_attr attr = attr_sampling(SIM_CYCLES, 4000);

	attr.freq = 1;
	assert_in_range(settled_rate(pieces, attr, false), 2000 * 95 / 100, 2000 * 105 / 100);
}

/* Count the samples in each of `nr` seconds. */
static void rates_of_seconds(const struct tally_sim_step *script, uint64_t *ret_samples,
			     unsigned nr)
{
	struct perf_event_attr attr = attr_sampling(SIM_CYCLES, 1000);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;

	attr.freq = 1;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script, 0);
	ring = harness_map(&harness, harness_open(&harness, attr, task, -1, -1), 256);
	for (unsigned i = 0; i < nr; i++) {
		struct ring_totals tale = {0};

		for (unsigned j = 0; j < 100; j++) {
			tally_sim_run(harness.sim, 10 * MS);
			harness_drain(ring, &attr, &tale);
		}
		ret_samples[i] = tale.samples;
	}
	tally_ring_unmap(ring);
	harness_end(&harness);
}

static const struct tally_sim_rates fast = {.per_ms = {[SIM_CYCLES] = 4000000}};
static const struct tally_sim_rates slow = {.per_ms = {[SIM_CYCLES] = 400}};
static const struct tally_sim_rates none = {.per_ms = {[SIM_CYCLES] = 0}};

/* If the load suddenly grows or shrinks ten thousandfold, the rate is reached again within a second
 * and without a burst of samples. */
static void the_frequency_adapts_to_sudden_changes(void **state)
{
	static const struct tally_sim_step phases[] = {
		SIM_RUN(SIM_USER, SECOND, &fast), SIM_RUN(SIM_USER, SECOND, &slow),
		SIM_RUN(SIM_USER, SECOND, &fast), SIM_RUN(SIM_USER, SECOND, &none),
		SIM_RUN(SIM_USER, SECOND, &fast), SIM_EXIT()};
	uint64_t samples[5];

	rates_of_seconds(phases, samples, 5);
	assert_in_range(samples[0], 950, 1150);
	assert_in_range(samples[1], 500, 1150);
	assert_in_range(samples[2], 950, 1600);
	assert_in_range(samples[3], 0, 10);
	assert_in_range(samples[4], 950, 1150);
}

/* Run bursts of 10 us per millisecond, with almost no events in between, and bursts of 100 us every
 * 4 ms, always between two ticks. The rate applies to the time during which the load runs. */
static void the_frequency_holds_for_bursts(void **state)
{
	static const struct tally_sim_step bursts[] = {
		SIM_LOOP(0), SIM_RUN(SIM_USER, 10 * US, &fast), SIM_RUN(SIM_USER, 990 * US, &slow),
		SIM_END_LOOP()};
	static const struct tally_sim_step naps[] = {SIM_SLEEP(500 * US), SIM_LOOP(0),
						     SIM_RUN(SIM_USER, 100 * US, &fast),
						     SIM_SLEEP(3900 * US), SIM_END_LOOP()};
	uint64_t samples[3];

	rates_of_seconds(bursts, samples, 3);
	assert_in_range(samples[2], 900, 1100);
	rates_of_seconds(naps, samples, 3);
	assert_in_range(samples[2], 20, 30);
}

/* If samples exceed the maximum rate, a THROTTLE record is written, and an UNTHROTTLE record at the
 * next tick. Nothing is counted in between. */
static void samples_above_the_limit_are_throttled(void **state)
{
	struct perf_event_attr attr = attr_sampling(SIM_CYCLES, 3000);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct ring_totals tale = {0};
	int fd;

	harness_begin(&harness, 1, NULL);
	tally_core_settings(tally_sim_core(harness.sim))->max_sample_rate = 10000;
	task = harness_spawn(&harness, script_hog, 0);
	fd = harness_open(&harness, attr, task, -1, -1);
	ring = harness_map(&harness, fd, 128);
	tally_sim_run(harness.sim, SECOND);
	harness_drain(ring, &attr, &tale);
	/* 40 samples per tick, plus the sample that exceeds the limit. */
	assert_in_range(tale.samples, 9500, 10500);
	assert_near(tale.throttles, 250, 1);
	assert_near(tale.throttles, tale.unthrottles, 1);
	assert_true(tale.throttles >= tale.unthrottles);
	/* A throttled event does not count, so its count corresponds to its samples. */
	assert_near(harness_value(&harness, fd), tale.samples * 3000, 3000);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Helper for a_group_is_throttled_as_a_whole(): drain a group member's ring. */
static struct ring_totals drain_member(struct harness *harness, struct tally_ring *ring,
				       const struct perf_event_attr *attr)
{
	struct ring_totals tale = {0};

	harness_drain(ring, attr, &tale);
	tally_ring_unmap(ring);
	return tale;
}

/* If one member samples too often, the whole group is throttled and unthrottled together, so equal
 * counts remain equal. The leader writes the records. */
static void check_throttled_group(unsigned sampling, const struct perf_event_attr *third,
				  bool no_pause)
{
	struct perf_event_attr attrs[3] = {attr_hw(SIM_CYCLES), attr_hw(SIM_CYCLES), *third};
	struct tally_sim_pmu pmu = harness_pmu;
	struct tally_sim_config config = {.pmus = &pmu, .nr_pmus = 1};
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *rings[2];
	struct ring_totals leader, member;
	uint64_t counts[3];
	int fds[3];

	pmu.no_pause = no_pause;
	attrs[sampling].sample_period = 3000;
	attrs[sampling].sample_type = attrs[1 - sampling].sample_type = PERF_SAMPLE_PERIOD;
	harness_begin(&harness, 1, &config);
	tally_core_settings(tally_sim_core(harness.sim))->max_sample_rate = 10000;
	task = harness_spawn(&harness, script_hog, 0);
	for (unsigned i = 0; i < 3; i++)
		fds[i] = harness_open(&harness, attrs[i], task, -1, i ? fds[0] : -1);
	for (unsigned i = 0; i < 2; i++)
		rings[i] = harness_map(&harness, fds[i], 128);
	tally_sim_run(harness.sim, SECOND);
	for (unsigned i = 0; i < 3; i++)
		counts[i] = harness_value(&harness, fds[i]);
	leader = drain_member(&harness, rings[0], &attrs[0]);
	member = drain_member(&harness, rings[1], &attrs[1]);
	assert_near(leader.throttles, 250, 1);
	assert_near(leader.throttles, leader.unthrottles, 1);
	assert_int_equal(member.throttles + member.unthrottles, 0);
	assert_near(sampling ? member.samples : leader.samples, 10250, 60);
	assert_near(counts[0], counts[1], 3000);
	assert_near(counts[2], counts[0] / 3, 250 * 3);
	harness_end(&harness);
}

static void a_group_is_throttled_as_a_whole(void **state)
{
	struct perf_event_attr clock = attr_sw(PERF_COUNT_SW_TASK_CLOCK);

	for (unsigned i = 0; i < 4; i++) {
		clock.sample_period = 0;
		check_throttled_group(i & 1, &clock, i & 2);
		/* A sampling clock has a timer, which must not be modified in the interrupt. */
		clock.sample_period = 50000;
		check_throttled_group(i & 1, &clock, i & 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_requested_frequency_is_reached),
		cmocka_unit_test(the_frequency_applies_to_running_time),
		cmocka_unit_test(the_frequency_adapts_to_sudden_changes),
		cmocka_unit_test(the_frequency_holds_for_bursts),
		cmocka_unit_test(samples_above_the_limit_are_throttled),
		cmocka_unit_test(a_group_is_throttled_as_a_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
