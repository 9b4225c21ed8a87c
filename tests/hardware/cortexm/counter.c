/* SPDX-License-Identifier: BSD-2-Clause */
/* The hardware counter: 16 bits extended to 64, with an overflow interrupt that cannot be
 * masked. */
#include "cortexm/app.h"

static int open_cycles(uint64_t period, int32_t tid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.sample_period = period,
		.sample_type = SAMPLE_TYPE,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return perf_open(&attr, tid, -1, -1, 0, NULL);
}

/* Let the counter wrap many times, and compare it with the clock, which counts the same cycles. */
static void wide(void)
{
	struct load load = {.ns = 100 * MILLISECOND};
	struct reading reading;
	int cycles;

	load_start(&load, "load", 1);
	cycles = open_cycles(0, load.thread->perf.tid);
	say_is("counter.enable", event_enable(cycles));
	thread_start(load.thread);
	thread_join(load.thread);
	reading = event_read(cycles);
	say("counter.cycles", reading.value);
	say("counter.running", reading.running);
	say("counter.ran", load.thread->ran_ns);
	perf_close(cycles);
}

/* Sample a thread while another thread runs in between, so that periods begin and end in different
 * time slices. */
static void sampled(uint64_t period)
{
	struct load load = {.ns = 100 * MILLISECOND}, other = {.ns = 100 * MILLISECOND};
	struct perf_mapping map;
	struct samples samples;
	int cycles;

	load_start(&load, "load", 1);
	load_start(&other, "other", 1);
	cycles = open_cycles(period, load.thread->perf.tid);
	say_is("counter.map", perf_map(cycles, RING_LEN, &map));
	event_enable(cycles);
	thread_start(load.thread);
	thread_start(other.thread);
	thread_join(load.thread);
	thread_join(other.thread);
	samples = samples_count(&map, (uint32_t)load.thread->perf.tid);
	say("counter.period", period);
	say("counter.sampled", event_read(cycles).value);
	say("counter.samples", samples.all);
	say("counter.samples_of_load", samples.of_tid);
	say("counter.samples_kernel", samples.in_kernel);
	perf_unmap(&map);
	perf_close(cycles);
}

/* Let two events share one counter. Each is on the counter half of the time. */
static void shared(void)
{
	struct load load = {.ns = 100 * MILLISECOND};
	int fds[2];

	load_start(&load, "load", 1);
	for (int i = 0; i < 2; i++) {
		fds[i] = open_cycles(0, load.thread->perf.tid);
		event_enable(fds[i]);
	}
	thread_start(load.thread);
	thread_join(load.thread);
	for (int i = 0; i < 2; i++) {
		struct reading reading = event_read(fds[i]);

		say("share.value", reading.value);
		say("share.enabled", reading.enabled);
		say("share.running", reading.running);
		perf_close(fds[i]);
	}
}

void test_counter(void)
{
	wide();
	sampled(10007);
	sampled(5003);
	sampled(2503);
	shared();
}
