/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls to functions in the vdso. */
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static volatile long sink;

__attribute__((noinline)) static void ask(unsigned rounds)
{
	struct timespec at;
	struct timeval day;

	for (unsigned i = 0; i < rounds; i++) {
		clock_gettime(CLOCK_MONOTONIC, &at);
		gettimeofday(&day, NULL);
		clock_gettime(CLOCK_REALTIME_COARSE, &at);
		sink += at.tv_nsec + day.tv_usec + time(NULL);
	}
}

int main(int argc, char **argv)
{
	ask(argc > 1 ? (unsigned)atoi(argv[1]) : 3000000);
	return 0;
}
