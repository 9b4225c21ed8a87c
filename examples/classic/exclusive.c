/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The `exclusive` bit: two hardware counters can be on the PMU together, unless one of them is
 * exclusive. In that case they take turns.
 *
 *	cc exclusive.c $(pkg-config --cflags --libs tally) -o exclusive
 */
#include "example.h"

static struct tally_classic *perf;

static void two_counters(const char *what, int exclusive)
{
	struct perf_event_attr attr = {
		.config = HARDWARE(PERF_COUNT_HW_INSTRUCTIONS),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	uint64_t values[2][3]; /* count, time enabled, time running */
	int fds[2];

	for (int i = 0; i < 2; i++) {
		attr.exclusive = exclusive && i == 0;
		fds[i] = open_event(perf, &attr, 0, -1, -1);
		if (fds[i] < 0) {
			printf("hardware counters: %s\n", strerror(-fds[i]));
			exit(0);
		}
	}
	use_time(100);
	for (int i = 0; i < 2; i++)
		must("read", tally_classic_read(perf, fds[i], values[i], sizeof(values[i])));
	for (int i = 0; i < 2; i++)
		tally_classic_close(perf, fds[i]);
	/* The sum of the counters' running times exceeds the enabled time only if both counters ran
	 * at the same time. */
	printf("%s: %s\n", what,
	       values[0][2] + values[1][2] > values[0][1] + values[0][1] / 5 ? "at the same time"
									     : "in turns");
}

int main(void)
{
	perf = classic_new();
	two_counters("two groups", 0);
	two_counters("one of them exclusive", 1);
	tally_classic_free(perf);
	return 0;
}
