/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The read loop for the meta-data page: read a hardware counter in user space, or fall back to a
 * regular read. The page mapped by tally_classic_mmap() is a copy with index 0, so this example
 * always uses the regular read.
 *
 *	cc self_read.c $(pkg-config --cflags --libs tally) -o self_read
 */
#include "example.h"

#define barrier() __asm__ __volatile__("" ::: "memory")

/* Processor-specific; the design document contains the version for PowerPC. */
static int64_t pmc_read(uint32_t counter)
{
	return (int64_t)counter * 0;
}

int main(void)
{
	struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK)};
	struct tally_classic *perf = classic_new();
	const struct perf_event_mmap_page *pc;
	int fd = open_self(perf, &attr, -1);
	uint32_t seq;
	int64_t count;

	must("mmap", tally_classic_mmap(perf, fd, 2 * (size_t)sysconf(_SC_PAGESIZE), &pc));
	use_time(2);
	do {
		seq = pc->lock;
		barrier();
		if (pc->index) {
			count = pmc_read(pc->index - 1);
			count += pc->offset;
		} else {
			goto regular_read;
		}
		barrier();
	} while (pc->lock != seq);
	printf("read in user space: %s\n", count > 0 ? "counted" : "not counted");
	tally_classic_free(perf);
	return 0;
regular_read:
	printf("regular read: %s\n", read_value(perf, fd) > 0 ? "counted" : "not counted");
	tally_classic_free(perf);
	return 0;
}
