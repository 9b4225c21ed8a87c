/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open a per-CPU counter (pid -1), which needs CAP_PERFMON or CAP_SYS_ADMIN, and try an invalid
 * combination of pid and cpu.
 *
 *	cc cpu.c $(pkg-config --cflags --libs tally) -o cpu
 */
#include "example.h"

int main(void)
{
	struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_CPU_CLOCK)};
	struct tally_classic *perf = classic_new();
	int fd = tally_classic_open(perf, &attr, -1, -1, -1, 0);

	printf("pid -1, cpu -1: %s\n", fd < 0 ? strerror(-fd) : "opened");
	fd = tally_classic_open(perf, &attr, -1, 0, -1, 0);
	if (fd < 0) {
		printf("pid -1, cpu 0: %s\n", strerror(-fd));
	} else {
		use_time(2);
		printf("pid -1, cpu 0: %s\n", read_value(perf, fd) ? "counts" : "counts nothing");
	}
	tally_classic_free(perf);
	return 0;
}
