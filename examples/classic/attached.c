/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prctl() and counters that another process has opened on the caller: a child disables and enables
 * the counter that its parent has opened on it. The program makes the system call itself, without a
 * library.
 *
 *	cc attached.c -o attached
 *	tally emulate --abi classic -- ./attached
 */
#define TALLY_CLASSIC_NAMES
#include <tally/classic.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Commands for the child. */
enum { WORK = 'w', DISABLE = 'd', ENABLE = 'e' };

static void work(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 200;

	while (clock() < end)
		;
}

static void child_run(int orders, int answers)
{
	char order;

	while (read(orders, &order, 1) == 1) {
		if (order == WORK)
			work();
		else
			prctl(order == DISABLE ? PR_TASK_PERF_EVENTS_DISABLE
					       : PR_TASK_PERF_EVENTS_ENABLE);
		if (write(answers, &order, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

/* Send a command to the child, then let the child work. Print whether the counter counts this
 * work. */
static void step(const char *what, char order, const int pipes[2], int fd)
{
	const char orders[2] = {order, WORK};
	uint64_t values[2] = {0, 0};
	char answer;

	for (int i = 0; i < 2; i++) {
		if (write(pipes[1], &orders[i], 1) != 1 || read(pipes[0], &answer, 1) != 1 ||
		    read(fd, &values[i], sizeof(values[i])) != sizeof(values[i]))
			exit(1);
	}
	printf("%s: %s\n", what, values[1] > values[0] ? "counts" : "does not count");
}

int main(void)
{
	struct perf_event_attr attr = {.config = (uint64_t)PERF_TYPE_SOFTWARE << 56 |
						 PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = 1};
	int orders[2], answers[2], fd;
	pid_t child;

	if (pipe(orders) || pipe(answers))
		return 1;
	child = fork();
	if (!child) {
		close(orders[1]);
		child_run(orders[0], answers[1]);
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, child, -1, -1, 0);
	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	step("at first", WORK, (const int[]){answers[0], orders[1]}, fd);
	step("disabled by the child", DISABLE, (const int[]){answers[0], orders[1]}, fd);
	step("enabled by the child", ENABLE, (const int[]){answers[0], orders[1]}, fd);
	close(orders[1]);
	return waitpid(child, NULL, 0) != child;
}
