/* SPDX-License-Identifier: BSD-2-Clause */
/* Count a region with libtally. See ../region_peers.py. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tally/region.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
	struct tally_regions *regions;
	struct tally_count count;
	int times = atoi(argv[1]), ret;
	double begin;

	ret = tally_regions_open(argc > 2 ? argv[2] : NULL, NULL, &regions, NULL);
	if (ret) {
		printf("%s: %s\n", argv[2], strerror(-ret));
		return 1;
	}
	begin = now();
	for (int i = 0; i < times; i++) {
		tally_region_start(regions, "empty");
		tally_region_stop(regions);
	}
	printf("%.1f ns\n", (now() - begin) / times);
	for (size_t i = 0; i < tally_regions_nr_events(regions); i++) {
		const struct tally_refusal *why = tally_regions_refusal(regions, i);

		tally_regions_count(regions, 0, i, &count);
		printf("%s: %llu, %s%s%s\n", tally_regions_event(regions, i),
		       (unsigned long long)tally_count_scaled(&count),
		       tally_quality_name(count.quality), why ? ": " : "", why ? why->rule : "");
	}
	tally_regions_close(regions);
	return 0;
}
