/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters for another task (pid > 0). One follows the task to every CPU (cpu -1). The others, one
 * for each CPU, count while the task runs on that CPU.
 *
 *	cc -D_GNU_SOURCE task.c $(pkg-config --cflags --libs tally) -o task
 */
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "example.h"

enum { MAX_CPUS = 128 };

/* Start a child that waits for a byte in read(2), and then uses CPU time on each CPU in turn. It
 * sends a byte before it waits, so that the parent opens its events, one after another, while the
 * child is not running. */
static pid_t child_start(int *ret_socket, int nr_cpus)
{
	int ends[2];
	char byte = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		exit(1);
	pid = fork();
	if (!pid) {
		close(ends[0]);
		if (write(ends[1], &byte, 1) != 1 || read(ends[1], &byte, 1) != 1)
			_exit(1);
		for (int cpu = 0; cpu < nr_cpus; cpu++) {
			cpu_set_t set;

			CPU_ZERO(&set);
			CPU_SET((size_t)cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
			use_time(10);
		}
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		exit(1);
	*ret_socket = ends[0];
	return pid;
}

int main(void)
{
	struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK)};
	struct tally_classic *perf = classic_new();
	int nr = (int)sysconf(_SC_NPROCESSORS_CONF), whole, own, go;
	int parts[MAX_CPUS];
	uint64_t all, sum = 0;
	pid_t child;

	nr = nr < MAX_CPUS ? nr : MAX_CPUS;
	child = child_start(&go, nr);
	whole = must("open", open_event(perf, &attr, child, -1, -1));
	own = open_self(perf, &attr, -1);
	for (int cpu = 0; cpu < nr; cpu++)
		parts[cpu] = open_event(perf, &attr, child, cpu, -1);
	if (write(go, "", 1) != 1)
		exit(1);
	waitpid(child, NULL, 0);
	all = read_value(perf, whole);
	for (int cpu = 0; cpu < nr; cpu++) /* an event on an offline CPU could not be opened */
		sum += parts[cpu] < 0 ? 0 : read_value(perf, parts[cpu]);
	printf("the task on all CPUs: %s\n", all >= 5000000 ? "counts" : "counts too little");
	printf("its parts on each CPU: %s\n",
	       sum > all - all / 5 && sum < all + all / 5 ? "add up to that" : "differ");
	printf("the current task: %s\n", read_value(perf, own) < all ? "its own time" : "too much");
	tally_classic_free(perf);
	return 0;
}
