/* SPDX-License-Identifier: BSD-2-Clause */
/* Count a region with perf_event_open(2) alone, or with the names of libpfm4 (-DWITH_PFM). Without
 * libpfm4, events are TYPE:CONFIG, because the kernel has no names for them. See
 * ../region_peers.py. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_PFM
#include <perfmon/pfmlib_perf_event.h>
#endif

enum { EVENTS = 8 };

struct reading {
	uint64_t nr, enabled, running, values[EVENTS];
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int open_event(const char *text, int leader)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};

#ifdef WITH_PFM
	pfm_perf_encode_arg_t encode = {.attr = &attr, .size = sizeof(encode)};
	int ret = pfm_initialize();

	if (ret == PFM_SUCCESS)
		ret = pfm_get_os_event_encoding(text, PFM_PLM3, PFM_OS_PERF_EVENT, &encode);
	if (ret != PFM_SUCCESS) {
		printf("%s: %s\n", text, pfm_strerror(ret));
		exit(1);
	}
#else
	char *config;

	attr.type = (uint32_t)strtoul(text, &config, 10);
	attr.config = strtoull(config + 1, NULL, 0);
#endif
	attr.exclude_kernel = 1;
	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	struct reading sums = {0}, start, stop;
	int fds[EVENTS], nr = argc - 2, times = atoi(argv[1]);
	double begin;

	for (int i = 0; i < nr; i++) {
		fds[i] = open_event(argv[i + 2], i ? fds[0] : -1);
		if (fds[i] < 0) {
			printf("%s: %s\n", argv[i + 2], strerror(errno));
			return 1;
		}
	}
	begin = now();
	for (int i = 0; i < times; i++) {
		if (read(fds[0], &start, sizeof(start)) < 0 ||
		    read(fds[0], &stop, sizeof(stop)) < 0)
			return 1;
		sums.enabled += stop.enabled - start.enabled;
		sums.running += stop.running - start.running;
		for (int j = 0; j < nr; j++)
			sums.values[j] += stop.values[j] - start.values[j];
	}
	printf("%.1f ns\n", (now() - begin) / times);
	for (int i = 0; i < nr; i++) /* scaled, if the group had to share the counters */
		printf("%s: %.0f\n", argv[i + 2],
		       sums.running ? (double)sums.values[i] * (double)sums.enabled /
					      (double)sums.running
				    : 0.0);
	return 0;
}
