/* SPDX-License-Identifier: BSD-2-Clause */
/* Test groups, REFRESH, changed periods, prctl and rejected requests. */
#include "cortexm/app.h"

static void group(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.read_format = PERF_FORMAT_GROUP,
	};
	struct {
		uint64_t nr, cycles, time;
	} values = {0};
	int leader = perf_open(&attr, 0, -1, -1, 0, NULL), member;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.disabled = 0;
	member = perf_open(&attr, 0, -1, leader, 0, NULL);
	event_enable(leader);
	spin(200000);
	event_disable(leader);
	say_is("group.bytes", perf_read(leader, &values, sizeof(values)));
	say("group.nr", values.nr);
	say("group.cycles", values.cycles);
	say("group.time", values.time);
	perf_close(leader);
	perf_close(member);
}

static void refresh_and_period(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.sample_period = MILLISECOND,
		.sample_type = SAMPLE_TYPE,
	};
	int fd = perf_open(&attr, 0, -1, -1, 0, NULL);
	uint64_t period = 250000, before;
	struct perf_mapping map;

	say_is("refresh.map", perf_map(fd, RING_LEN, &map));
	perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 3);
	spin(400000);
	before = samples_count(&map, 0).all;
	say("refresh.samples", before);
	say_is("period.set", perf_ioctl(fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period));
	perf_ioctl(fd, PERF_EVENT_IOC_REFRESH, 7);
	spin(400000);
	say("period.samples", samples_count(&map, 0).all - before);
	perf_unmap(&map);
	perf_close(fd);
}

static void all_of_a_thread(void)
{
	int fd = event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);
	uint64_t off, still;

	event_enable(fd);
	perf_prctl(TALLY_CORE_PRCTL_DISABLE);
	off = event_read(fd).value;
	spin(100000);
	still = event_read(fd).value;
	perf_prctl(TALLY_CORE_PRCTL_ENABLE);
	spin(100000);
	say("prctl.off", still - off);
	say("prctl.on", event_read(fd).value - still);
	perf_close(fd);
}

static void refusals(void)
{
	struct tally_core_refusal why = {0};
	struct perf_event_attr attr = {.type = 77, .size = sizeof(attr)};
	int fd = event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);
	uint64_t value[3];

	say_is("refuse.type", perf_open(&attr, 0, -1, -1, 0, &why));
	say("refuse.why", why.rule && *why.rule);
	attr.type = PERF_TYPE_SOFTWARE;
	say_is("refuse.group", perf_open(&attr, 0, -1, 31, 0, NULL));
	say_is("refuse.tid", perf_open(&attr, 4711, -1, -1, 0, NULL));
	say_is("refuse.nobody", perf_open(&attr, -1, -1, -1, 0, NULL));
	say_is("refuse.attr", perf_open((void *)0xe0000000, 0, -1, -1, 0, NULL));
	say_is("refuse.buffer", perf_read(fd, (void *)0xe0000000, sizeof(value)));
	say_is("refuse.room", perf_read(fd, value, 8));
	perf_close(fd);
	say_is("refuse.closed", perf_read(fd, value, sizeof(value)));
}

void test_control(void)
{
	group();
	refresh_and_period();
	all_of_a_thread();
	refusals();
}
