/* SPDX-License-Identifier: BSD-2-Clause */
/* Sample with the one-shot timer, which yields one sample per elapsed period. */
#include "cortexm/app.h"

enum { PERIOD = 500000, RUN = 100 * MILLISECOND };

static int open_clock(uint64_t config, int32_t tid, int32_t cpu, struct perf_mapping *ret_map)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.sample_period = PERIOD,
		.sample_type = SAMPLE_TYPE,
		.wakeup_events = 10,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = perf_open(&attr, tid, cpu, -1, 0, NULL);
	int ret = perf_map(fd, RING_LEN, ret_map);

	if (ret)
		board_panic("no ring", (uint32_t)-fd, (uint32_t)-ret);
	return fd;
}

static void close_clock(int fd, struct perf_mapping *map)
{
	perf_unmap(map);
	perf_close(fd);
}

/* Sample the CPU and one of two threads on it. */
static void two_clocks(void)
{
	struct load heavy = {.ns = RUN}, light = {.ns = RUN};
	struct perf_mapping cpu_map, task_map;
	struct samples on_cpu, of_task;
	int cpu, task;

	load_start(&heavy, "heavy", 3);
	load_start(&light, "light", 1);
	cpu = open_clock(PERF_COUNT_SW_CPU_CLOCK, -1, 0, &cpu_map);
	task = open_clock(PERF_COUNT_SW_TASK_CLOCK, heavy.thread->perf.tid, -1, &task_map);
	event_enable(task);
	event_enable(cpu);
	thread_start(heavy.thread);
	thread_start(light.thread);
	thread_join(heavy.thread);
	event_disable(cpu);
	thread_join(light.thread);
	on_cpu = samples_count(&cpu_map, (uint32_t)heavy.thread->perf.tid);
	of_task = samples_count(&task_map, (uint32_t)heavy.thread->perf.tid);
	say("sample.cpu", on_cpu.all);
	say("sample.cpu_heavy", on_cpu.of_tid);
	say("sample.cpu_kernel", on_cpu.in_kernel);
	say("sample.cpu_other", on_cpu.other_records);
	say("sample.cpu_time", event_read(cpu).value);
	say("sample.task", of_task.all);
	say("sample.task_heavy", of_task.of_tid);
	say("sample.task_time", event_read(task).value);
	close_clock(cpu, &cpu_map);
	close_clock(task, &task_map);
}

/* A reader that sleeps until there are ten samples. It has a higher priority than the sampled
 * thread. */
struct reader {
	struct perf_mapping map;
	int fd;
	uint64_t wakeups, samples, first;
};

static void reader_run(void *arg)
{
	struct reader *reader = arg;

	for (int i = 0; i < 5; i++) {
		int events = perf_poll(reader->fd, true);
		uint64_t nr = samples_count(&reader->map, 0).all;

		reader->wakeups += events == TALLY_CORE_POLLIN;
		reader->first = reader->first ? reader->first : nr;
		reader->samples = nr;
	}
	event_disable(reader->fd);
}

static void woken_by_samples(void)
{
	struct load load = {.ns = RUN};
	struct reader reader = {0};
	struct thread *thread = thread_new(reader_run, &reader, "reader", 2, 1);

	load_start(&load, "load", 1);
	reader.fd = open_clock(PERF_COUNT_SW_TASK_CLOCK, load.thread->perf.tid, -1, &reader.map);
	if (!thread)
		board_panic("no reader", 0, 0);
	thread_start(thread);
	event_enable(reader.fd);
	thread_start(load.thread);
	thread_join(thread);
	say("poll.wakeups", reader.wakeups);
	say("poll.first", reader.first);
	say("poll.samples", reader.samples);
	thread_join(load.thread);
	say("poll.after", samples_count(&reader.map, 0).all);
	close_clock(reader.fd, &reader.map);
}

/* Fill a small ring that has no reader. Lost samples are reported with the next record that
 * fits. */
static void overrun(void)
{
	struct load load = {.ns = RUN};
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.sample_period = PERIOD,
		.sample_type = SAMPLE_TYPE,
		.read_format = PERF_FORMAT_LOST,
	};
	struct perf_mapping map;
	uint64_t values[2] = {0};
	int fd;

	load_start(&load, "load", 1);
	fd = perf_open(&attr, load.thread->perf.tid, -1, -1, 0, NULL);
	say_is("overrun.map", perf_map(fd, PAGE_SIZE, &map));
	event_enable(fd);
	thread_start(load.thread);
	thread_join(load.thread);
	perf_read(fd, values, sizeof(values));
	say("overrun.time", values[0]);
	say("overrun.lost", values[1]);
	say("overrun.written", samples_count(&map, 0).all);
	close_clock(fd, &map);
}

void test_sample(void)
{
	two_clocks();
	woken_by_samples();
	overrun();
}
