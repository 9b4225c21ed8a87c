/* SPDX-License-Identifier: BSD-2-Clause */
/* Count a region with PAPI's high-level interface, which writes the counts to files in the
 * directory PAPI_OUTPUT_DIRECTORY. The events are in the environment variable PAPI_EVENTS. See
 * ../region_peers.py. */
#define _GNU_SOURCE
#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1, ret = PAPI_OK;
	double begin;

	PAPI_hl_region_begin("first"); /* initializes the library */
	PAPI_hl_region_end("first");
	begin = now();
	for (int i = 0; i < times && ret == PAPI_OK; i++) {
		ret = PAPI_hl_region_begin("empty");
		PAPI_hl_region_end("empty");
	}
	if (ret == PAPI_OK)
		printf("%.1f ns\n", (now() - begin) / times);
	else
		printf("PAPI_hl_region_begin: %s\n", PAPI_strerror(ret));
	return ret != PAPI_OK;
}
