/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read a perf.data file in time order, and print the number of records of each type.
 *
 *	cc recording.c $(pkg-config --cflags --libs tally) && ./a.out perf.data
 */
#include <stdio.h>
#include <string.h>

#include <tally/perfdata.h>

enum { TYPES = 128 };

int main(int argc, char **argv)
{
	struct tally_perfdata_record record;
	struct tally_perfdata *data;
	unsigned long nr[TYPES] = {0};
	unsigned long long last = 0;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: recording FILE\n");
		return 2;
	}
	ret = tally_perfdata_open(argv[1], &data, NULL);
	if (ret) {
		fprintf(stderr, "recording: %s: %s\n", argv[1], strerror(-ret));
		return 1;
	}
	while ((ret = tally_perfdata_next_ordered(data, &record, NULL)) > 0) {
		nr[record.type < TYPES ? record.type : 0]++;
		last = record.time > last ? record.time : last;
	}
	tally_perfdata_close(data);
	if (ret) {
		fprintf(stderr, "recording: %s: %s\n", argv[1], strerror(-ret));
		return 1;
	}
	for (int i = 0; i < TYPES; i++)
		if (nr[i])
			printf("type %d: %lu\n", i, nr[i]);
	printf("samples: %lu, the last record at %llu ns\n", nr[PERF_RECORD_SAMPLE], last);
	return 0;
}
