/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Count events in regions of this program, and print the counts of each region. If
 * TALLY_REGIONS=FILE is in the environment, the counts are also written to FILE.
 *
 *	cc region.c $(pkg-config --cflags --libs tally) && TALLY_REGIONS=regions.json ./a.out
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/region.h>

static unsigned hash_words(const char *text)
{
	unsigned hash = 0;

	while (*text)
		hash = hash * 31 + (unsigned char)*text++;
	return hash;
}

static void print(const struct tally_regions *regions)
{
	struct tally_region region;
	struct tally_count count;

	for (size_t i = 0; !tally_regions_get(regions, i, &region); i++)
		for (size_t j = 0; !tally_regions_count(regions, i, j, &count); j++)
			printf("%-8s %-16s %12llu (%s) in %llu calls\n", region.name,
			       tally_regions_event(regions, j),
			       (unsigned long long)tally_count_scaled(&count),
			       tally_quality_name(count.quality), (unsigned long long)region.calls);
}

int main(void)
{
	static char text[1 << 20];
	struct tally_regions *regions;
	unsigned hash = 0;
	int ret = tally_regions_open("{task-clock:u,faults:u},cycles:u", NULL, &regions, NULL);

	if (ret) {
		fprintf(stderr, "region: %s\n", strerror(-ret));
		return 1;
	}
	for (int i = 0; i < 10; i++) {
		tally_region_start(regions, "round");
		memset(text, 'a' + i, sizeof(text) - 1);
		tally_region_start(regions, "hash");
		hash ^= hash_words(text);
		tally_region_stop(regions);
		tally_region_stop(regions);
	}
	printf("hash %u\n", hash);
	print(regions);
	ret = tally_regions_write(regions, NULL);
	tally_regions_close(regions);
	if (ret)
		fprintf(stderr, "region: cannot write $TALLY_REGIONS: %s\n", strerror(-ret));
	return ret ? 1 : 0;
}
