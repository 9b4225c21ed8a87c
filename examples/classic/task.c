/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters for another task (pid > 0). One follows the task to every CPU (cpu -1). The others, one
 * for each CPU, count while the task runs on that CPU.
 *
 *	cc -D_GNU_SOURCE task.c $(pkg-config --cflags --libs tally) -o task
 */
#include <sched.h>
#include <sys/wait.h>

#include "example.h"

enum { MAX_CPUS = 128 };

/* Start a child that waits for a byte, then uses CPU time on each CPU in turn. */
static pid_t child_start(int *ret_go, int nr_cpus)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		exit(1);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) != 1)
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
	close(ends[0]);
	*ret_go = ends[1];
	return pid;
}

/* Return the sum of the counts of all CPUs. Opening an event on an offline CPU fails. */
static uint64_t read_sum(struct tally_classic *perf, const int *parts, int nr)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < nr; cpu++)
		sum += parts[cpu] < 0 ? 0 : read_value(perf, parts[cpu]);
	return sum;
}

int main(void)
{
	struct perf_event_attr attr = {.config = SOFTWARE(PERF_COUNT_SW_TASK_CLOCK)};
	struct tally_classic *perf = classic_new();
	int nr = (int)sysconf(_SC_NPROCESSORS_CONF), whole, own, go;
	int parts[MAX_CPUS];
	uint64_t all, sum;
	pid_t child;

	nr = nr < MAX_CPUS ? nr : MAX_CPUS;
	child = child_start(&go, nr);
	whole = must("open", open_event(perf, &attr, child, -1, -1));
	own = open_self(perf, &attr, -1);
	for (int cpu = 0; cpu < nr; cpu++)
		parts[cpu] = open_event(perf, &attr, child, cpu, -1);
	all = read_value(perf, whole); /* the child ran before all events were open */
	sum = read_sum(perf, parts, nr);
	if (write(go, "", 1) != 1)
		exit(1);
	waitpid(child, NULL, 0);
	all = read_value(perf, whole) - all;
	sum = read_sum(perf, parts, nr) - sum;
	printf("the task on all CPUs: %s\n", all >= 5000000 ? "counts" : "counts too little");
	printf("its parts on each CPU: %s\n",
	       sum > all - all / 5 && sum < all + all / 5 ? "add up to that" : "differ");
	printf("the current task: %s\n", read_value(perf, own) < all ? "its own time" : "too much");
	tally_classic_free(perf);
	return 0;
}
