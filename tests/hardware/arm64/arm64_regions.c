/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Count regions of 1,000,000 instructions, once with the event of the argument alone and once in a
 * group with itself. Prints a line for each event: its name, whether it is read without a system
 * call, the count of two calls, and whether that is exact.
 */
#include <stdio.h>
#include <string.h>

#include "tally/region.h"

static void spend(uint64_t instructions)
{
	uint64_t turns = instructions / 2;

	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
}

static int measure(const char *events)
{
	struct tally_regions *regions;
	struct tally_count count;
	int ret = tally_regions_open(events, NULL, &regions, NULL);

	if (ret) {
		printf("%s: %s\n", events, strerror(-ret));
		return 1;
	}
	for (int i = 0; i < 2; i++) {
		tally_region_start(regions, "spend");
		spend(1000000);
		tally_region_stop(regions);
	}
	for (size_t i = 0; i < tally_regions_nr_events(regions); i++)
		if (!tally_regions_count(regions, 0, i, &count))
			printf("%s self=%d value=%llu exact=%d\n", tally_regions_event(regions, i),
			       tally_regions_is_self_read(regions, i),
			       (unsigned long long)count.value,
			       count.quality == TALLY_QUALITY_EXACT);
	tally_regions_close(regions);
	return 0;
}

int main(int argc, char **argv)
{
	char group[256];

	if (argc != 2)
		return 2;
	snprintf(group, sizeof(group), "{%s,%s}", argv[1], argv[1]);
	return measure(argv[1]) || measure(group);
}
