/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * If there are more counters than the PMU supports, they take turns. Multiplying a count by enabled
 * time / running time gives an estimate for the whole time.
 *
 *	cc overcommit.c $(pkg-config --cflags --libs tally) -o overcommit
 */
#include "example.h"

enum { NR = 12 };

int main(void)
{
	struct perf_event_attr attr = {
		.config = HARDWARE(PERF_COUNT_HW_INSTRUCTIONS),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct tally_classic *perf = classic_new();
	uint64_t values[3]; /* count, time enabled, time running */
	double whole = 0, scaled, ratio = 0;
	unsigned alike = 0;
	int fds[NR];

	for (int i = 0; i < NR; i++) {
		fds[i] = open_event(perf, &attr, 0, -1, -1);
		if (fds[i] < 0) {
			printf("hardware counters: %s\n", strerror(-fds[i]));
			tally_classic_free(perf);
			return 0;
		}
	}
	use_time(200);
	for (int i = 0; i < NR; i++) {
		must("read", tally_classic_read(perf, fds[i], values, sizeof(values)));
		if (!values[2])
			continue;
		ratio = (double)values[1] / (double)values[2];
		/* All counters count the same event, starting at about the same time. */
		scaled = (double)values[0] / (double)values[2];
		if (!whole)
			whole = scaled;
		alike += scaled > whole * 0.7 && scaled < whole * 1.3;
	}
	printf("%d counters: overcommit ratio %.1f, scaled counts of %u alike\n", NR, ratio, alike);
	tally_classic_free(perf);
	return 0;
}
