/* SPDX-License-Identifier: BSD-2-Clause */
/* Test two harts: inherited events with totals from both, events on a task that runs on the other
 * hart, and per-hart events. */
#include "riscv/riscv_user.h"

enum { WORKERS = 4, WORK = 5000000 };

static volatile bool stop;

static void worker(void *arg)
{
	spin((uintptr_t)arg);
	leave();
}

static void endless(void *arg)
{
	while (!stop)
		spin(1000);
	leave();
}

static void inherited(void)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_INSTRUCTIONS, .inherit = 1};
	int fd = event_open(&attr, 0, -1, -1);
	int64_t children[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		children[i] = fork(worker, (void *)WORK, "worker");
	for (int i = 0; i < WORKERS; i++)
		wait_for(children[i]);
	say("harts.inherit", event_read(fd).value);
	event_close(fd);
}

/* Open, read and close an event repeatedly on a task that runs on the other hart. */
static void others(void)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_INSTRUCTIONS};
	int64_t other;
	uint64_t counted = 0, backwards = 0;

	stop = false;
	other = fork(endless, NULL, "endless");
	spin(3000000); /* the other hart looks for tasks only at its tick */
	for (int i = 0; i < 50; i++) {
		int fd = event_open(&attr, (int)other, -1, -1);
		uint64_t first, second;

		spin(20000);
		first = event_read(fd).value;
		spin(20000);
		second = event_read(fd).value;
		counted += second > 0;
		backwards += second < first;
		event_close(fd);
	}
	stop = true;
	wait_for(other);
	say("harts.others_counted", counted);
	say("harts.others_backwards", backwards);
}

/* Open an event on each hart. The events count all the time, even when the hart is idle. */
static void whole_harts(void)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_CPU_CYCLES};
	int fds[2];

	for (int i = 0; i < 2; i++)
		fds[i] = event_open(&attr, -1, i, -1);
	spin(10000000);
	for (int i = 0; i < 2; i++) {
		say("harts.cycles", event_read(fds[i]).value);
		event_close(fds[i]);
	}
}

void test_harts(void)
{
	inherited();
	others();
	whole_harts();
}
