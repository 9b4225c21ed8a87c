/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measure the core's costs on machines with 1, 16 and 256 CPUs: memory, cross-CPU calls, sleeping
 * locks, and switches of a task with four events and of a task with four events on each CPU.
 *
 *	bench/scale [--rounds N]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core_host.h"

enum { EVENTS = 4, SWITCHES = 20000 };

static int rounds = 7;
static struct tally_core_task watched, other;
static struct tally_core_event *events[EVENTS * BENCH_CPUS];
static struct tally_core_buffer *rings[BENCH_CPUS];

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static struct tally_core_event *open_one(struct tally_core_task *task, uint32_t config, int32_t cpu)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .config = config};
	struct tally_core_event *event;

	attr.sample_period = task ? 0 : 1000;
	host.task = task;
	if (tally_core_open(host.core, &other, &attr, task ? task->tid : -1, cpu, -1, 0, &event,
			    NULL)) {
		fprintf(stderr, "scale: an event could not be opened\n");
		exit(1);
	}
	return event;
}

/* ---- switches --------------------------------------------------------------------------- */

/* Return the median time in ns of a switch between a task with events and a task without events. */
static double switch_cost(void)
{
	double results[64];

	tally_core_switch(host.core, NULL, &watched, false);
	for (int round = 0; round < rounds; round++) {
		double start = cpu_ns();

		for (int i = 0; i < SWITCHES / 2; i++) {
			tally_core_switch(host.core, &watched, &other, false);
			tally_core_switch(host.core, &other, &watched, false);
		}
		results[round] = (cpu_ns() - start) / SWITCHES;
	}
	tally_core_switch(host.core, &watched, NULL, false);
	qsort(results, (size_t)rounds, sizeof(results[0]), compare);
	return results[rounds / 2];
}

static double events_cost(uint32_t nr_cpus, int nr_events, bool each_cpu)
{
	uint32_t nr = 0;
	double cost;

	for (int i = 0; i < nr_events; i++) {
		if (!each_cpu)
			events[nr++] = open_one(&watched, (uint32_t)i, -1);
		for (uint32_t cpu = 0; each_cpu && cpu < nr_cpus; cpu++)
			events[nr++] = open_one(&watched, (uint32_t)i, (int32_t)cpu);
	}
	host.cpu = nr_cpus / 2;
	cost = switch_cost();
	host.cpu = 0;
	while (nr--)
		tally_core_close(host.core, events[nr]);
	return cost;
}

/* ---- rings, tasks ----------------------------------------------------------------------- */

static uint64_t since(uint64_t *counter)
{
	uint64_t value = *counter;

	*counter = 0;
	return value;
}

/* Open and close an event with a ring buffer on each CPU, and count the cross-CPU calls. */
static void ring_calls(uint32_t nr_cpus, uint64_t *ret_make, uint64_t *ret_unmap,
		       uint64_t *ret_close)
{
	host.calls = 0;
	for (uint32_t i = 0; i < nr_cpus; i++) {
		events[i] = open_one(NULL, 0, (int32_t)i);
		if (tally_core_mmap(host.core, &other, events[i], (size_t)3 * 4096, 0, true,
				    &rings[i], NULL))
			exit(1);
	}
	*ret_make = since(&host.calls);
	for (uint32_t i = 0; i < nr_cpus; i++)
		tally_core_munmap(host.core, events[i], rings[i]);
	*ret_unmap = since(&host.calls);
	for (uint32_t i = 0; i < nr_cpus; i++)
		tally_core_close(host.core, events[i]);
	*ret_close = since(&host.calls);
}

/* Return the number of sleeping locks taken by fork, exec and exit of a task without events. */
static uint64_t locks_of_a_task(void)
{
	struct tally_core_task child;

	host.locks = 0;
	tally_core_task_init(&child, 7, 7);
	tally_core_fork(host.core, &other, &child, true);
	tally_core_exec(host.core, &child, false);
	tally_core_exit(host.core, &child);
	return since(&host.locks);
}

static void show(uint32_t nr_cpus)
{
	uint64_t empty, make, unmap, close, locks;
	double none, four, four_each;

	machine_boot(nr_cpus, BENCH_COUNTERS, 0);
	empty = host.bytes;
	tally_core_task_init(&watched, 1, 1);
	tally_core_task_init(&other, 2, 2);
	ring_calls(nr_cpus, &make, &unmap, &close);
	locks = locks_of_a_task();
	none = events_cost(nr_cpus, 0, false);
	four = events_cost(nr_cpus, EVENTS, false);
	four_each = events_cost(nr_cpus, EVENTS, true);
	printf("%5u %9.1f %9.1f %13.1f %9llu KB %6llu %6llu %6llu %6llu\n", nr_cpus, none, four,
	       four_each, (unsigned long long)empty / 1024, (unsigned long long)make,
	       (unsigned long long)unmap, (unsigned long long)close, (unsigned long long)locks);
	tally_core_exit(host.core, &watched);
	tally_core_exit(host.core, &other);
	tally_core_destroy(host.core);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--rounds"))
		rounds = atoi(argv[2]);
	if (argc != 1 && (argc != 3 || rounds < 1 || rounds > 64)) {
		fprintf(stderr, "usage: scale [--rounds 1..64]\n");
		return 2;
	}
	printf("ns of a switch of a task with no event, with 4, and with 4 on each CPU; memory "
	       "without any "
	       "event; calls of other\n"
	       "CPUs to make a ring on each CPU, to unmap and to close them; locks of fork, exec "
	       "and exit without events\n");
	printf("%5s %9s %9s %13s %12s %6s %6s %6s %6s\n", "CPUs", "none", "4", "4 each CPU",
	       "memory", "make", "unmap", "close", "locks");
	show(1);
	show(16);
	show(256);
	return 0;
}
