/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that counts regions, for regions.py: in two processes with two threads each.
 *
 *	region_program EVENTS [FILE]
 *
 * With FILE, the regions are also written there.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally/region.h"

static char text[1 << 16];

static void round_of_work(struct tally_regions *regions, int byte)
{
	tally_region_start(regions, "round");
	memset(text, byte, sizeof(text));
	for (int i = 0; i < 2; i++) {
		tally_region_start(regions, "in\x1b[31mside");
		memset(text, byte + i, sizeof(text));
		tally_region_stop(regions);
	}
	tally_region_stop(regions);
}

/* Count three rounds. The object is closed by one thread of a process and left to exit by the
 * other. */
static void *count_rounds(void *events)
{
	const struct tally_regions_options options = {.time = true, .at_exit = true};
	struct tally_regions *regions;

	if (tally_regions_open(events, &options, &regions, NULL))
		exit(2);
	for (int i = 0; i < 3; i++)
		round_of_work(regions, i);
	tally_region_stop(regions);
	return regions;
}

int main(int argc, char **argv)
{
	struct tally_regions *regions;
	pthread_t thread;
	pid_t child;
	int status = 0;
	void *other;

	if (argc < 2)
		return 2;
	child = fork();
	if (pthread_create(&thread, NULL, count_rounds, argv[1]) || pthread_join(thread, &other))
		return 2;
	regions = count_rounds(argv[1]);
	if (argc > 2 && tally_regions_write(regions, argv[2]))
		return 2;
	tally_regions_close(other);
	if (child)
		waitpid(child, &status, 0);
	return status;
}
