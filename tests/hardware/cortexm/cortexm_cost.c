/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's cost in instructions, derived from the time that many operations take. */
#include "cortexm/app.h"

enum { TURNS = 500, NS_PER_INSTRUCTION = 32 }; /* -icount shift=5 */

static void say_cost(const char *name, uint64_t ns, uint32_t times)
{
	say(name, (uint32_t)ns / NS_PER_INSTRUCTION / times);
}

static void yield_repeatedly(void *arg)
{
	for (int i = 0; i < TURNS; i++)
		thread_yield();
	(void)arg;
}

/* Measure switches between two threads that yield to each other, each with `nr` events. */
static void cost_of_switches(const char *name, uint64_t config, int nr)
{
	struct thread *threads[2];
	uint64_t before;
	int fds[2][4];

	for (int i = 0; i < 2; i++) {
		threads[i] = thread_new(yield_repeatedly, NULL, "turn", 1, 100);
		if (!threads[i])
			board_panic("no thread to take turns", 0, 0);
		for (int j = 0; j < nr; j++) {
			fds[i][j] =
				event_simple(PERF_TYPE_SOFTWARE, config, threads[i]->perf.tid, -1);
			event_enable(fds[i][j]);
		}
	}
	before = board_clock_ns();
	for (int i = 0; i < 2; i++)
		thread_start(threads[i]);
	for (int i = 0; i < 2; i++)
		thread_join(threads[i]);
	say_cost(name, board_clock_ns() - before, 2 * TURNS);
	for (int i = 0; i < 2 * nr; i++)
		perf_close(fds[i / nr][i % nr]);
}

static void cost_of_calls(void)
{
	int fd = event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);
	uint64_t before = board_clock_ns();

	for (int i = 0; i < TURNS; i++)
		event_read(fd);
	say_cost("cost.read", board_clock_ns() - before, TURNS);
	perf_close(fd);
	before = board_clock_ns();
	for (int i = 0; i < TURNS; i++)
		perf_close(event_simple(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1));
	say_cost("cost.open_close", board_clock_ns() - before, TURNS);
}

void test_cost(void)
{
	cost_of_switches("cost.switch", 0, 0);
	cost_of_switches("cost.switch_1", PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	cost_of_switches("cost.switch_clock", PERF_COUNT_SW_TASK_CLOCK, 1);
	cost_of_switches("cost.switch_4", PERF_COUNT_SW_TASK_CLOCK, 4);
	cost_of_calls();
}
