/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter group: a leader and two members, which are on the CPU together, so that ratios of their
 * counts are meaningful. Members are enabled and disabled with the leader or separately.
 *
 *	cc group.c $(pkg-config --cflags --libs tally) -o group
 */
#include "example.h"

static struct tally_classic *perf;

/* Use CPU time, and print which members count while it is used. */
static void step(const char *what, const int members[2])
{
	uint64_t before[2] = {read_value(perf, members[0]), read_value(perf, members[1])};

	use_time(5);
	printf("%s:", what);
	for (int i = 0; i < 2; i++)
		printf(" %s",
		       read_value(perf, members[i]) > before[i] ? "counts" : "does not count");
	printf("\n");
}

int main(void)
{
	struct perf_event_attr first = {.config = SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS),
					.disabled = 1};
	struct perf_event_attr rest = {.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK)};
	int leader, members[2];

	perf = classic_new();
	leader = open_self(perf, &first, -1);
	members[0] = open_self(perf, &rest, leader);
	members[1] = open_self(perf, &rest, leader);

	/* While the leader is disabled, none of the members count. */
	step("leader disabled", members);
	must("enable", tally_classic_ioctl(perf, leader, PERF_EVENT_IOC_ENABLE, 0));
	step("leader enabled", members);
	/* Disabling a member does not affect any other counter. */
	must("disable", tally_classic_ioctl(perf, members[0], PERF_EVENT_IOC_DISABLE, 0));
	step("first member disabled", members);
	must("disable",
	     tally_classic_ioctl(perf, leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
	step("group disabled", members);
	must("enable",
	     tally_classic_ioctl(perf, leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP));
	/* Linux may schedule the members only when it schedules the task again. */
	usleep(1000);
	step("group enabled", members);
	tally_classic_free(perf);
	return 0;
}
