/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The `mmap` and `comm` bits: executable mappings and names are recorded in the ring buffer.
 *
 *	cc -D_GNU_SOURCE mappings.c $(pkg-config --cflags --libs tally) -o mappings
 */
#include <sys/prctl.h>

#include "example.h"

static void print(const struct perf_event_header *record)
{
	const struct tally_classic_mmap_record *map = (const void *)record;
	const struct tally_classic_comm_record *comm = (const void *)record;

	if (record->misc & PERF_RECORD_MISC_OVERFLOW)
		return;
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MUNMAP:
		printf("%s: %llu bytes of %s\n",
		       record->type == PERF_RECORD_MMAP ? "mmap" : "munmap",
		       (unsigned long long)map->len, map->filename);
		break;
	case PERF_RECORD_COMM: printf("comm: %s\n", comm->comm); break;
	default: printf("record of type %u\n", record->type);
	}
}

int main(void)
{
	struct perf_event_attr attr = {
		.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK), .mmap = 1, .munmap = 1, .comm = 1};
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const struct perf_event_mmap_page *page;
	const struct perf_event_header *record;
	struct tally_classic *perf = classic_new();
	FILE *program = fopen("/proc/self/exe", "rb");
	int fd = open_self(perf, &attr, -1);

	must("mmap", tally_classic_mmap(perf, fd, 9 * size, &page));
	prctl(PR_SET_NAME, "renamed");
	if (program)
		mmap(NULL, 2 * size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(program), 0);
	while ((record = tally_classic_next(perf, fd)))
		print(record);
	tally_classic_free(perf);
	return 0;
}
