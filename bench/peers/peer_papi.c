/* SPDX-License-Identifier: BSD-2-Clause */
/* Count a region with PAPI's low-level interface. See ../region_peers.py. */
#define _GNU_SOURCE
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EVENTS = 8 };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int failed(const char *what, int code)
{
	printf("%s: %s\n", what, PAPI_strerror(code));
	return 1;
}

int main(int argc, char **argv)
{
	long long sums[EVENTS] = {0}, start[EVENTS], stop[EVENTS];
	int set = PAPI_NULL, nr = argc - 2, times = atoi(argv[1]), ret;
	double begin;

	ret = PAPI_library_init(PAPI_VER_CURRENT);
	if (ret != PAPI_VER_CURRENT)
		return failed("PAPI_library_init", ret);
	ret = PAPI_create_eventset(&set);
	for (int i = 0; i < nr && ret == PAPI_OK; i++) {
		ret = PAPI_add_named_event(set, argv[i + 2]);
		if (ret != PAPI_OK)
			return failed(argv[i + 2], ret);
	}
	if (ret != PAPI_OK || (ret = PAPI_start(set)) != PAPI_OK)
		return failed("PAPI_start", ret);
	begin = now();
	for (int i = 0; i < times; i++) {
		if (PAPI_read(set, start) != PAPI_OK || PAPI_read(set, stop) != PAPI_OK)
			return 1;
		for (int j = 0; j < nr; j++)
			sums[j] += stop[j] - start[j];
	}
	printf("%.1f ns\n", (now() - begin) / times);
	for (int i = 0; i < nr; i++)
		printf("%s: %lld\n", argv[i + 2], sums[i]);
	PAPI_stop(set, stop);
	return 0;
}
