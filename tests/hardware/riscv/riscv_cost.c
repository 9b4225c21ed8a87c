/* SPDX-License-Identifier: BSD-2-Clause */
/* Measure costs in instructions. Under -icount they are exact, and identical in each run. */
#include "base/arith.h"
#include "riscv/riscv_user.h"

enum { TRIES = 16, SWITCHES = 32, LOOP = 1000000, PERIOD = 20000 };

static const struct perf_event_attr kinds[] = {
	{.config = PERF_COUNT_HW_CPU_CYCLES},
	{.type = PERF_TYPE_RAW, .config = 0x10019},
	{.type = PERF_TYPE_RAW, .config = 0x1001b},
	{.type = PERF_TYPE_RAW, .config = 0x10021},
};

static volatile bool stop;

static void yielder(void *arg)
{
	while (!stop)
		yield();
	leave();
}

/* Return the cost of a switch: the minimum of several tries, because ticks occur in some of
 * them. */
static uint64_t least_yields(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = instret(), passed;

		for (int j = 0; j < SWITCHES; j++)
			yield();
		passed = instret() - before;
		best = passed < best ? passed : best;
	}
	return tally_div(best, 2 * SWITCHES); /* each yield() switches to the other task and back */
}

/* Measure switches between this task, which has events, and a task without events. */
static void cost_switch(const char *name, int events)
{
	int64_t other;
	int fds[4];

	for (int i = 0; i < events; i++) {
		struct perf_event_attr attr = kinds[i];

		fds[i] = event_open(&attr, 0, -1, -1);
	}
	stop = false;
	other = fork(yielder, NULL, "yielder");
	say(name, least_yields());
	stop = true;
	wait_for(other);
	for (int i = 0; i < events; i++)
		event_close(fds[i]);
}

static void cost_reads(void)
{
	struct perf_event_attr attr = kinds[0];
	int fd = event_open(&attr, 0, -1, -1);
	void *page = event_map(fd, 1);
	uint64_t by_call = UINT64_MAX, by_self = UINT64_MAX, value;

	for (int i = 0; i < TRIES; i++) {
		uint64_t a = instret(), b, c;

		event_read(fd);
		b = instret();
		counter_now(page, &value);
		c = instret();
		by_call = b - a < by_call ? b - a : by_call;
		by_self = c - b < by_self ? c - b : by_self;
	}
	say("cost.read", by_call);
	say("cost.self_read", by_self);
	call(CALL_MUNMAP, (uintptr_t)page, 0, 0, 0, 0);
	event_close(fd);
}

/* Return the minimum cost of running the loop for one period, which excludes the cost of ticks. */
static uint64_t least_spin(void)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = instret(), passed;

		spin(PERIOD);
		passed = instret() - before;
		best = passed < best ? passed : best;
	}
	return best;
}

/* Measure the cost of an overflow, from the interrupt to the return from it. The period is as long
 * as the loop, so there is one overflow per run of the loop. */
static void cost_overflow(const char *name, uint64_t sample_type)
{
	struct perf_event_attr attr = {.config = PERF_COUNT_HW_CPU_CYCLES,
				       .sample_period = PERIOD,
				       .sample_type = sample_type};
	uint64_t without = least_spin(), with;
	int fd = event_open(&attr, 0, -1, -1);
	void *page = event_map(fd, 16);

	with = least_spin();
	say(name, with - without);
	call(CALL_MUNMAP, (uintptr_t)page, 0, 0, 0, 0);
	event_close(fd);
}

void test_cost(void)
{
	cost_switch("cost.switch_0", 0);
	cost_switch("cost.switch_1", 1);
	cost_switch("cost.switch_4", 4);
	cost_overflow("cost.overflow_ip", PERF_SAMPLE_IP);
	cost_overflow("cost.overflow_usual",
		      PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD);
	cost_overflow("cost.overflow_callchain", PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							 PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
							 PERF_SAMPLE_CALLCHAIN);
	cost_reads();
}
