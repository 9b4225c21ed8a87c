/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * More pinned groups of hardware counters than the PMU supports. Groups that cannot be on the CPU
 * enter the error state, where reads return end-of-file until the counter is enabled again.
 *
 *	cc pinned.c $(pkg-config --cflags --libs tally) -o pinned
 */
#include "example.h"

enum { NR = 32 };

int main(void)
{
	struct perf_event_attr attr = {.config = HARDWARE(PERF_COUNT_HW_INSTRUCTIONS), .pinned = 1};
	struct tally_classic *perf = classic_new();
	unsigned counting = 0, at_end_of_file = 0;
	uint64_t value;
	int fds[NR];

	for (int i = 0; i < NR; i++) {
		fds[i] = open_event(perf, &attr, 0, -1, -1);
		if (fds[i] < 0) {
			printf("hardware counters: %s\n", strerror(-fds[i]));
			tally_classic_free(perf);
			return 0;
		}
	}
	use_time(2);
	for (int i = 0; i < NR; i++) {
		if (must("read", tally_classic_read(perf, fds[i], &value, sizeof(value))))
			counting++;
		else
			at_end_of_file++;
	}
	printf("%d pinned counters: %s count, %s at end of file\n", NR, counting ? "some" : "none",
	       at_end_of_file ? "others are" : "none is");
	tally_classic_free(perf);
	return 0;
}
