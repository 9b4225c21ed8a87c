/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measure the core's costs in ns on a host with negligible costs: one CPU at a time, no interrupts
 * to mask, variables as counters, and the processor's cycle counter as the clock. Where possible,
 * also print the cost on the running Linux kernel.
 *
 *	bench/core [--rounds N]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core_host.h"
#include "tally/client.h"

enum { ROUNDS = 7, PAGES = 1 << 9, RECORD_MAX = 4096 };

/* ---- measuring ----------------------------------------------------------------------------- */

static int rounds = ROUNDS;

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Return the CPU time of this thread, which does not include time used by other programs. */
static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Return the median time per call in ns over all rounds. A round makes `times` calls. */
static double measure(void (*fn)(void *arg), void *arg, uint64_t times)
{
	double results[64];

	for (int round = 0; round < rounds; round++) {
		uint64_t start = cpu_ns();

		for (uint64_t i = 0; i < times; i++)
			fn(arg);
		results[round] = (double)(cpu_ns() - start) / (double)times;
	}
	qsort(results, (size_t)rounds, sizeof(results[0]), compare);
	return results[rounds / 2];
}

static struct tally_core_event *open_on(struct tally_core_task *task, int32_t cpu,
					struct perf_event_attr attr)
{
	struct tally_core_event *event = NULL;

	attr.size = sizeof(attr);
	host.task = task;
	if (tally_core_open(host.core, task, &attr, task ? 1 : -1, cpu, -1, 0, &event, NULL))
		exit(1);
	return event;
}

/* ---- switches ------------------------------------------------------------------------------- */

static struct tally_core_task tasks[2];

static void two_switches(void *arg)
{
	tally_core_switch(host.core, &tasks[0], &tasks[1], true);
	tally_core_switch(host.core, &tasks[1], &tasks[0], true);
}

static double switch_cost(uint32_t nr_cpus, int nr_events, uint8_t nr_counters, int bystanders)
{
	struct tally_core_task others[256];
	struct tally_core_event *events[2 * 64 + 256];
	int nr = 0;
	double cost;

	machine_boot(nr_cpus, nr_counters, RECORD_MAX);
	for (int i = 0; i < 2; i++) {
		tally_core_task_init(&tasks[i], i + 1, i + 1);
		for (int j = 0; j < nr_events; j++)
			events[nr++] = open_on(&tasks[i], -1, (struct perf_event_attr){.type = 0});
	}
	for (int i = 0; i < bystanders; i++) {
		tally_core_task_init(&others[i], 100 + i, 100 + i);
		events[nr++] = open_on(&others[i], -1, (struct perf_event_attr){.type = 0});
	}
	tally_core_switch(host.core, NULL, &tasks[0], false);
	cost = measure(two_switches, NULL, 200000) / 2;
	while (nr)
		tally_core_close(host.core, events[--nr]);
	for (int i = 0; i < 2; i++)
		tally_core_exit(host.core, &tasks[i]);
	for (int i = 0; i < bystanders; i++)
		tally_core_exit(host.core, &others[i]);
	tally_core_destroy(host.core);
	return cost;
}

static double swap_cost(int nr_events)
{
	struct tally_core_task parent;
	struct tally_core_event *events[64];
	double cost;

	machine_boot(1, BENCH_COUNTERS, RECORD_MAX);
	tally_core_task_init(&parent, 1, 1);
	for (int i = 0; i < nr_events; i++)
		events[i] = open_on(&parent, -1, (struct perf_event_attr){.inherit = 1});
	for (int i = 0; i < 2; i++) {
		tally_core_task_init(&tasks[i], 10 + i, 10 + i);
		tally_core_fork(host.core, &parent, &tasks[i], false);
	}
	tally_core_switch(host.core, NULL, &tasks[0], false);
	cost = measure(two_switches, NULL, 200000) / 2;
	for (int i = 0; i < nr_events; i++)
		tally_core_close(host.core, events[i]);
	for (int i = 0; i < 2; i++)
		tally_core_exit(host.core, &tasks[i]);
	tally_core_exit(host.core, &parent);
	tally_core_destroy(host.core);
	return cost;
}

static void show_switches(void)
{
	static const int numbers[] = {0, 1, 4, 16, 64};

	printf("context switch, ns, with N events on each of the two tasks\n");
	printf("%8s %10s %14s %14s\n", "N", "ns", "4 counters", "clones");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		printf("%8d %10.1f %14.1f %14.1f\n", numbers[i],
		       switch_cost(1, numbers[i], BENCH_COUNTERS, 0),
		       switch_cost(1, numbers[i], 4, 0), swap_cost(numbers[i]));
	printf("  with 4 events, 64 CPUs: %.1f; 200 other tasks with events: %.1f\n\n",
	       switch_cost(BENCH_CPUS, 4, BENCH_COUNTERS, 0),
	       switch_cost(1, 4, BENCH_COUNTERS, 200));
}

/* ---- samples ---------------------------------------------------------------------------- */

struct sampling {
	struct tally_core_hw *hw;
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size, bytes, at;
	struct tally_core_sample_data sample_data;
	uint8_t source[512];
};

static void one_sample(void *arg)
{
	struct sampling *s = arg;
	uint64_t next;

	tally_core_hw_overflow(s->hw, 0, &s->sample_data, &next);
	/* Act like a reader that keeps up. */
	s->page->data_tail = s->page->data_head;
}

static void one_memcpy(void *arg)
{
	struct sampling *s = arg;

	if (s->at + s->bytes > s->size)
		s->at = 0;
	memcpy(s->data + s->at, s->source, s->bytes);
	__asm__ volatile("" : : "r"(s->data) : "memory");
	s->at += s->bytes;
}

static double sample_cost(uint64_t sample_type, double *ret_memcpy, uint64_t *ret_bytes)
{
	struct perf_event_attr attr = {.sample_period = 1000, .sample_type = sample_type};
	struct sampling s = {.sample_data = {.ip = 0x401000, .mode = PERF_RECORD_MISC_USER}};
	struct tally_core_buffer *buffer;
	struct tally_core_event *event;
	double cost;

	machine_boot(1, BENCH_COUNTERS, RECORD_MAX);
	tally_core_task_init(&tasks[0], 1, 1);
	event = open_on(&tasks[0], -1, attr);
	if (tally_core_mmap(host.core, &tasks[0], event, (1 + PAGES) * 4096, 0, true, &buffer,
			    NULL))
		exit(1);
	tally_core_switch(host.core, NULL, &tasks[0], false);
	s.hw = host.owner[0][0];
	s.page = tally_core_buffer_page(buffer, 0);
	s.data = tally_core_buffer_page(buffer, 1);
	s.size = PAGES * 4096;
	one_sample(&s);
	s.bytes = s.page->data_head;
	cost = measure(one_sample, &s, 500000);
	*ret_memcpy = measure(one_memcpy, &s, 500000);
	*ret_bytes = s.bytes;
	tally_core_munmap(host.core, event, buffer);
	tally_core_close(host.core, event);
	tally_core_exit(host.core, &tasks[0]);
	tally_core_destroy(host.core);
	return cost;
}

static void one_clock(void *arg)
{
	*(volatile uint64_t *)arg = machine_clock(NULL);
}

static void show_samples(void)
{
	const uint64_t plain =
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	uint64_t bytes, now;
	double copy, cost = sample_cost(plain, &copy, &bytes);
	double clock = measure(one_clock, &now, 1000000);

	printf("overflow to record written, ns; the clock alone takes %.1f\n", clock);
	printf("  ip, tid, time, period: %.1f for %llu bytes, memcpy of them %.1f: %.1f times; "
	       "%.1f without the clock\n",
	       cost, (unsigned long long)bytes, copy, cost / copy, (cost - clock) / copy);
	cost = sample_cost(plain | PERF_SAMPLE_CALLCHAIN, &copy, &bytes);
	printf("  and a chain of 32:     %.1f for %llu bytes, memcpy of them %.1f: %.1f times\n\n",
	       cost, (unsigned long long)bytes, copy, cost / copy);
}

/* ---- reads, opening --------------------------------------------------------------------- */

static void one_read(void *arg)
{
	uint64_t words[3];

	tally_core_read(host.core, arg, words, sizeof(words));
}

static uint64_t self_counter(void *arg, uint32_t number)
{
	return host.value[number];
}

static uint64_t self_cycles(void *arg)
{
	return machine_clock(arg);
}

static void one_self_read(void *arg)
{
	static const struct tally_self_reader reader = {self_counter, self_cycles, NULL};
	struct tally_count count;

	if (!tally_self_read(arg, &reader, &count))
		exit(1);
}

static void one_open(void *arg)
{
	tally_core_close(host.core, open_on(&tasks[0], -1, (struct perf_event_attr){.type = 0}));
}

static int linux_open(uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = {.type = type, .size = PERF_ATTR_SIZE_VER5, .config = config};

	attr.sample_period = period;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	attr.exclude_kernel = 1;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void linux_read(void *arg)
{
	uint64_t words[3];

	if (read(*(int *)arg, words, sizeof(words)) < 0)
		exit(1);
}

static void linux_open_close(void *arg)
{
	close(linux_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0));
}

static void linux_null(void *arg)
{
	syscall(SYS_getppid);
}

static void show_calls(void)
{
	struct tally_core_buffer *buffer;
	struct tally_core_event *event;
	double core_read, self, core_open;
	int fd = linux_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0);

	machine_boot(1, BENCH_COUNTERS, RECORD_MAX);
	tally_core_task_init(&tasks[0], 1, 1);
	event = open_on(&tasks[0], -1,
			(struct perf_event_attr){.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
								PERF_FORMAT_TOTAL_TIME_RUNNING});
	if (tally_core_mmap(host.core, &tasks[0], event, 4096, 0, true, &buffer, NULL))
		exit(1);
	tally_core_switch(host.core, NULL, &tasks[0], false);
	core_read = measure(one_read, event, 1000000);
	self = measure(one_self_read, tally_core_buffer_page(buffer, 0), 1000000);
	core_open = measure(one_open, NULL, 100000);
	tally_core_munmap(host.core, event, buffer);
	tally_core_close(host.core, event);
	tally_core_exit(host.core, &tasks[0]);
	tally_core_destroy(host.core);
	printf("calls, ns\n%18s %10s\n", "core", "Linux");
	printf("read      %8.1f", core_read);
	if (fd >= 0)
		printf(" %10.1f, of which %.1f are the system call",
		       measure(linux_read, &fd, 300000), measure(linux_null, NULL, 300000));
	printf("\nself-read %8.1f\nopen+close %7.1f", self, core_open);
	if (fd >= 0)
		printf(" %10.1f", measure(linux_open_close, NULL, 5000));
	printf("\n\n");
	if (fd < 0)
		printf("Linux was not measured: perf_event_open failed\n");
}

/* ---- samples of the running kernel ------------------------------------------------------ */

static volatile uint64_t sink;

static double burn(uint64_t loops)
{
	uint64_t start = cpu_ns();

	for (uint64_t i = 0; i < loops; i++)
		sink += i;
	return (double)(cpu_ns() - start);
}

/* Measure what a cpu-clock sample at 100 kHz costs the sampled program, including the timer
 * interrupt. */
static void show_linux_samples(void)
{
	enum { LOOPS = 100000000 };
	int fd = linux_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000);
	struct perf_event_mmap_page *page;
	double plain, sampled;
	uint64_t samples;

	if (fd < 0)
		return;
	page = mmap(NULL, (1 + PAGES) * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	plain = burn(LOOPS);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	sampled = burn(LOOPS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	samples = page->data_head / 48;
	if (samples)
		printf("Linux, cpu-clock at 100 kHz: %.0f ns a sample (%llu samples), timer "
		       "interrupt included\n",
		       (sampled - plain) / (double)samples, (unsigned long long)samples);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--rounds"))
		rounds = atoi(argv[2]);
	if (argc != 1 && (argc != 3 || rounds < 1 || rounds > 64)) {
		fprintf(stderr, "usage: core [--rounds 1..64]\n");
		return 2;
	}
	show_switches();
	show_samples();
	show_calls();
	show_linux_samples();
	return 0;
}
