/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sampling counter: an overflow every 1,000,000 ns of CPU time, recorded in the ring buffer with
 * all fields that record_type can select.
 *
 *	cc sample.c $(pkg-config --cflags --libs tally) -o sample
 */
#include "example.h"

enum { PAGES = 16, ALL = 63 };

/* Packet statistics. */
struct totals {
	unsigned long long packets, wrong;
	unsigned long long mine, with_ip, in_order, with_group, with_chain;
	uint64_t last_time;
};

static void take(struct totals *totals, const struct perf_event_header *record, uint64_t config)
{
	struct tally_classic_sample sample;

	totals->packets++;
	if (record->type != ALL || tally_classic_sample_decode(record, &sample)) {
		totals->wrong++;
		return;
	}
	totals->mine += sample.pid == (uint32_t)getpid();
	totals->with_ip += sample.ip != 0;
	totals->in_order += sample.time >= totals->last_time;
	totals->last_time = sample.time;
	/* The leader is first: `event` is its config, `val` its count. */
	totals->with_group += sample.nr_group == 2 && sample.group[0] == config &&
			      sample.group[2] == SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS);
	totals->with_chain +=
		sample.nr >= 1 && sample.nr == sample.hv + sample.kernel + sample.user;
}

int main(void)
{
	struct perf_event_attr attr = {
		.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK),
		.irq_period = 1000000,
		.record_type = PERF_RECORD_IP | PERF_RECORD_TID | PERF_RECORD_TIME |
			       PERF_RECORD_ADDR | PERF_RECORD_GROUP | PERF_RECORD_CALLCHAIN,
		.disabled = 1,
	};
	struct perf_event_attr faults = {.config = SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS)};
	const struct perf_event_mmap_page *page;
	const struct perf_event_header *record;
	struct tally_classic *perf = classic_new();
	struct totals totals = {0};
	int fd = open_self(perf, &attr, -1);

	open_self(perf, &faults, fd);
	/* 1 + 2^n pages: a meta-data page, then the ring buffer. */
	must("mmap",
	     tally_classic_mmap(perf, fd, (1 + PAGES) * (size_t)sysconf(_SC_PAGESIZE), &page));
	must("enable", tally_classic_ioctl(perf, fd, PERF_EVENT_IOC_ENABLE, 0));
	use_time(30);
	must("disable", tally_classic_ioctl(perf, fd, PERF_EVENT_IOC_DISABLE, 0));
	while ((record = tally_classic_next(perf, fd)))
		take(&totals, record, attr.config);
	printf("%llu packets, %llu lost, %llu wrong\n", totals.packets,
	       (unsigned long long)tally_classic_lost(perf, fd), totals.wrong);
	printf("mine %llu, ip %llu, in order %llu, group %llu, callchain %llu\n", totals.mine,
	       totals.with_ip, totals.in_order, totals.with_group, totals.with_chain);
	tally_classic_free(perf);
	return 0;
}
