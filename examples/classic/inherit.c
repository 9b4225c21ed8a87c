/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The `inherit` bit: the counter also counts descendants that are created after the counter.
 *
 *	cc inherit.c $(pkg-config --cflags --libs tally) -o inherit
 */
#include <sys/wait.h>

#include "example.h"

enum { CHILD_MS = 50 };

/* Start a child that waits for a byte, then uses CPU time. */
static pid_t child_start(int *ret_go)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		exit(1);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			use_time(CHILD_MS);
		_exit(0);
	}
	close(ends[0]);
	*ret_go = ends[1];
	return pid;
}

static void child_go(pid_t pid, int go)
{
	if (write(go, "", 1) != 1)
		exit(1);
	close(go);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK), .inherit = 1};
	struct tally_classic *perf = classic_new();
	uint64_t before, existing, new_child;
	int old_go, new_go, fd;
	pid_t old_child = child_start(&old_go), child;

	fd = open_self(perf, &attr, -1);
	before = read_value(perf, fd);
	child_go(old_child, old_go);
	existing = read_value(perf, fd);
	child = child_start(&new_go);
	child_go(child, new_go);
	new_child = read_value(perf, fd);
	printf("time of an existing child: %s\n",
	       existing - before < CHILD_MS * 1000000ull ? "not counted" : "counted");
	printf("time of a new child: %s\n",
	       new_child - existing >= CHILD_MS * 1000000ull ? "counted" : "not counted");
	tally_classic_free(perf);
	return 0;
}
