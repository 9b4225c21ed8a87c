/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measure the cost of a region in ns: start and stop an empty region, with counters that are read
 * first by a system call and then in user space. If the thread cannot read hardware counters, the
 * second measurement uses fake mapped pages and reads the cycle counter, which takes about as long
 * as rdpmc. The last line is the minimum for one event: reading the clock and the counter twice.
 *
 *	bench/region
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tally/region.h"

enum { TIMES = 200000, ROUNDS = 7 };

static struct perf_event_mmap_page pages[8];
static int nr_pages;

static int page_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		     void **ret_memory)
{
	struct perf_event_mmap_page *page = &pages[nr_pages++];

	page->index = 1;
	page->cap_user_rdpmc = page->cap_user_time = 1;
	page->time_mult = 1;
	page->pmc_width = 64;
	*ret_memory = page;
	return 0;
}

static int page_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	return 0;
}

static uint64_t counter(void *arg, uint32_t number)
{
	return tally_self_reader_native()->cycles(NULL);
}

static uint64_t cycles(void *arg)
{
	return tally_self_reader_native()->cycles(NULL);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Return the minimum over all rounds, to exclude the effects of other activity. */
static double measure(struct tally_regions *regions)
{
	double best = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = cpu_ns();
		double each;

		for (int i = 0; i < TIMES; i++) {
			tally_region_start(regions, "empty");
			tally_region_stop(regions);
		}
		each = (double)(cpu_ns() - start) / TIMES;
		best = each < best ? each : best;
	}
	return best;
}

static double measure_floor(const struct tally_self_reader *reader)
{
	double best = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = cpu_ns();
		double each;

		for (int i = 0; i < 4 * TIMES; i++)
			(void)reader->cycles(NULL);
		each = (double)(cpu_ns() - start) / TIMES;
		best = each < best ? each : best;
	}
	return best;
}

static void show(const char *how, const char *events, const struct tally_regions_options *options)
{
	struct tally_regions *regions;
	int ret = tally_regions_open(events, options, &regions, NULL);

	if (ret) {
		printf("%-12s %-28s cannot be opened: %d\n", how, events, ret);
		return;
	}
	printf("%-12s %-28s %8.1f ns\n", how, events, measure(regions));
	tally_regions_close(regions);
}

int main(void)
{
	const struct tally_self_reader reader = {counter, cycles, NULL};
	const struct tally_regions_options timed = {.time = true};
	struct tally_transport transport = *tally_transport_linux();
	const struct tally_regions_options itself = {.transport = &transport, .reader = &reader};

	show("read(2)", "task-clock", NULL);
	show("read(2)", "{task-clock,faults}", NULL);
	show("read(2)", "task-clock,faults", NULL);
	show("and time", "task-clock", &timed);
	transport.mmap = page_mmap;
	transport.munmap = page_munmap;
	if (!tally_self_reader_native())
		return 0;
	show("self-read", "task-clock", &itself);
	show("self-read", "{task-clock,faults}", &itself);
	show("self-read", "{task-clock,faults,cs,migrations}", &itself);
	printf("%-12s %-28s %8.1f ns\n", "floor", "four readings",
	       measure_floor(tally_self_reader_native()));
	return 0;
}
