/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read counts in user space, with the client library's routine and this machine's registers. Prints
 * one line for each way of opening an event: its name, the capabilities in the mmap page, and how
 * many of 1,000,000 instructions tally_self_read() and read(2) counted.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tally/abi.h"
#include "tally/client.h"

static void spend(uint64_t instructions)
{
	uint64_t turns = instructions / 2;

	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
}

/* config1 of Arm's PMU: bit 0 requests 64 bits, bit 1 user-space reads. The kernel rejects the
 * combination if 64 bits require two chained counters, which is the case for all counters except
 * the cycle counter. */
static const struct {
	const char *name;
	uint64_t config, config1;
} ways[] = {
	{"cycles", PERF_COUNT_HW_CPU_CYCLES, 3},
	{"cycles_32", PERF_COUNT_HW_CPU_CYCLES, 2},
	{"instructions_32", PERF_COUNT_HW_INSTRUCTIONS, 2},
	{"closed", PERF_COUNT_HW_CPU_CYCLES, 0},
};

static uint64_t by_call(int fd)
{
	uint64_t value = 0;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static void measure(int fd, const struct perf_event_mmap_page *page, const char *name)
{
	const struct tally_self_reader *reader = tally_self_reader_native();
	struct tally_count before = {0}, after = {0};
	uint64_t outer = by_call(fd);
	bool there = tally_self_read(page, reader, &before);

	spend(1000000);
	there = tally_self_read(page, reader, &after) && there;
	outer = by_call(fd) - outer;
	printf("%s rdpmc=%d there=%d index=%u width=%u self=%llu read=%llu quality=%d\n", name,
	       (int)page->cap_user_rdpmc, there, page->index, page->pmc_width,
	       (unsigned long long)(after.value - before.value), (unsigned long long)outer,
	       after.quality == TALLY_QUALITY_EXACT);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_HARDWARE,
			.size = sizeof(attr),
			.config = ways[i].config,
			.config1 = ways[i].config1,
			.exclude_kernel = 1,
		};
		int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

		if (page == MAP_FAILED) {
			perror(ways[i].name);
			return 1;
		}
		measure(fd, page, ways[i].name);
		munmap(page, 4096);
		close(fd);
	}
	return 0;
}
