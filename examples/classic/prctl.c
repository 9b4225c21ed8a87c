/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process enables and disables the counter groups attached to it. This affects group leaders
 * only, and does not affect counters of other processes.
 *
 *	cc prctl.c $(pkg-config --cflags --libs tally) -o prctl
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "example.h"

static struct tally_classic *perf;

/* Use CPU time, and print which of the two counters count while it is used. */
static void step(const char *what, int leader, int member)
{
	uint64_t before[2] = {read_value(perf, leader), read_value(perf, member)};

	use_time(5);
	printf("%s: leader %s, member %s\n", what,
	       read_value(perf, leader) > before[0] ? "counts" : "does not count",
	       read_value(perf, member) > before[1] ? "counts" : "does not count");
}

int main(void)
{
	struct perf_event_attr attr = {
		.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
	};
	uint64_t before[2], after[2]; /* the count and the time enabled */
	int leader, member, elsewhere;
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			use_time(1);
	}
	perf = classic_new();
	leader = open_self(perf, &attr, -1);
	member = open_self(perf, &attr, leader);
	elsewhere = must("open", open_event(perf, &attr, child, -1, -1));
	must("disable", tally_classic_ioctl(perf, member, PERF_EVENT_IOC_DISABLE, 0));

	must("prctl", tally_classic_prctl(perf, PR_TASK_PERF_EVENTS_DISABLE));
	step("disabled", leader, member);
	must("prctl", tally_classic_prctl(perf, PR_TASK_PERF_EVENTS_ENABLE));
	step("enabled", leader, member);

	/* The counter attached to the child remains enabled. */
	must("prctl", tally_classic_prctl(perf, PR_TASK_PERF_EVENTS_DISABLE));
	must("read", tally_classic_read(perf, elsewhere, before, sizeof(before)));
	use_time(30);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	must("read", tally_classic_read(perf, elsewhere, after, sizeof(after)));
	printf("elsewhere: %s\n", after[1] > before[1] ? "enabled" : "disabled");
	tally_classic_free(perf);
	return 0;
}
