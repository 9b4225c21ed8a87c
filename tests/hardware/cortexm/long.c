/* SPDX-License-Identifier: BSD-2-Clause */
/* Long runs, in which nanoseconds and board clock cycles exceed 32 bits, and counts that are read
 * while an overflow interrupt, which cannot be masked, is changing them. */
#include "cortexm/app.h"

#define SECOND UINT64_C(1000000000)

/* Return the last sample's timestamp. *ret_backwards is the number of samples that are not later
 * than the previous sample. */
static uint64_t last_time(const struct perf_mapping *map, uint32_t *ret_backwards)
{
	uint64_t head = ring_head(map), last = 0;

	*ret_backwards = 0;
	for (uint64_t at = 0; at < head;) {
		const struct perf_event_header *header = (const void *)(map->data + at);
		const uint64_t *time = (const void *)(map->data + at + sizeof(*header) + 16);

		*ret_backwards += *time <= last;
		last = *time;
		at += header->size;
	}
	return last;
}

/* Sample over long periods. While all threads sleep, the emulator skips ahead in time. */
static void long_periods(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.disabled = 1,
		.sample_period = 7 * SECOND,
		.sample_type = SAMPLE_TYPE,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = perf_open(&attr, -1, 0, -1, 0, NULL);
	struct perf_mapping map;
	uint32_t backwards;
	uint64_t before, time;

	say_is("long.map", perf_map(fd, RING_LEN, &map));
	event_enable(fd);
	before = board_clock_ns();
	thread_sleep(15 * SECOND);
	event_disable(fd);
	say("long.elapsed", board_clock_ns() - before);
	time = last_time(&map, &backwards);
	say("long.last", time - before);
	say("long.backwards", backwards);
	say("long.samples", samples_count(&map, 0).all);
	say("long.count", event_read(fd).value);
	say("long.enabled", event_read(fd).enabled);
	perf_unmap(&map);
	perf_close(fd);
}

static void read_while_it_overflows(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1259,
	};
	uint64_t before = 0, first, last = 0;
	uint32_t backwards = 0;
	int fd = perf_open(&attr, 0, -1, -1, 0, NULL);

	perf_read(fd, &first, sizeof(first));
	for (int i = 0; i < 2000; i++) {
		perf_read(fd, &last, sizeof(last));
		backwards += last <= before;
		before = last;
	}
	say("read.cycles", last - first);
	say("read.backwards", backwards);
	perf_close(fd);
}

void test_long(void)
{
	read_while_it_overflows();
	long_periods();
}
