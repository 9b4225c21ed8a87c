/* SPDX-License-Identifier: BSD-2-Clause */
/* What many sampling clocks cost. */
#include "core/least/step.h"
#include "least_test.h"
#include "probe.h"

static struct least least;

enum { MS = 1000000 };

/* Software clocks of a task, each due before the one that was opened before it. */
static void open_clocks(const struct least_task *task, int nr)
{
	static int opened;

	for (int i = 0; i < nr; i++) {
		struct perf_event_attr attr = attr_faults((uint64_t)(1000 - opened++) * MS);

		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		must_open(&least, attr, task, -1, -1);
	}
}

/* The instructions of a switch to the task and back. */
static uint64_t switch_cost(struct least_task *task)
{
	least_step_begin(NULL, NULL, 0);
	least_switch(&least, task);
	least_switch(&least, NULL);
	return least_step_end();
}

/* Eight times the clocks cost eight times as much, and a little for the logarithm. */
static void test_order_of_opening(void **state)
{
	struct least_task *task;
	uint64_t few;

	if (!least_can_step())
		probe_skip("this machine does not stop after each instruction");
	least_test_begin(&least, 1, NULL);
	task = least_task_new(&least);
	open_clocks(task, 30);
	few = switch_cost(task);
	open_clocks(task, 210);
	assert_in_range(switch_cost(task), 1, few * 8 * 5 / 4);
	least_end(&least);
}

/* What a second of the ring says: samples, and samples that were due. */
static void count_records(struct tally_core_buffer *buffer, uint64_t *samples, uint64_t *lost)
{
	union {
		struct perf_event_header header;
		uint64_t words[64];
	} record;

	while (tally_core_buffer_read(buffer, &record, sizeof(record)) > 0) {
		*samples += record.header.type == PERF_RECORD_SAMPLE;
		if (record.header.type == PERF_RECORD_LOST)
			*lost += record.words[2];
	}
}

/* However many clocks there are, their samples are no more than those of one that is as fast as may
 * be, each has as many as the next, and those that are not written are lost. */
static void test_share_of_a_task(void **state)
{
	enum { CLOCKS = 100, TICKS = 250, RATE = 100000, DUE = RATE };
	struct tally_core_buffer *buffers[CLOCKS];
	uint64_t all = 0;

	least_test_begin(&least, 1, NULL);
	least_switch(&least, least.tasks[0]);
	for (int i = 0; i < CLOCKS; i++) {
		struct perf_event_attr attr = attr_faults(10000);

		attr.config = PERF_COUNT_SW_TASK_CLOCK;
		must_map(&least, must_open(&least, attr, least.tasks[0], -1, -1), 8, &buffers[i]);
	}
	for (int tick = 0; tick < TICKS; tick++) {
		for (int i = 0; i < 400; i++)
			least_advance(&least, 10000);
		least_tick(&least);
	}
	for (int i = 0; i < CLOCKS; i++) {
		uint64_t samples = 0, lost = 0;

		count_records(buffers[i], &samples, &lost);
		assert_in_range(samples, RATE / CLOCKS * 9 / 10, RATE / CLOCKS * 11 / 10);
		assert_in_range(samples + lost, DUE * 99 / 100, DUE);
		all += samples;
	}
	assert_in_range(all, RATE * 9 / 10, RATE * 101 / 100);
	least_end(&least);
}

/* Who uses up his share takes nothing from a profiler of the CPU, nor from the next task. */
static void test_share_of_others(void **state)
{
	enum { CLOCKS = 50, TICKS = 50, STEP = 10000, STEPS = 400 };
	struct perf_event_attr own = attr_faults(1000000), other = own, greedy = attr_faults(STEP);
	struct tally_core_buffer *watcher, *next_ring;
	struct least_task *next;
	uint64_t samples = 0, lost = 0, of_next = 0;

	least_test_begin(&least, 1, NULL);
	next = least_task_new(&least);
	own.config = PERF_COUNT_SW_CPU_CLOCK;
	other.config = greedy.config = PERF_COUNT_SW_TASK_CLOCK;
	other.sample_period = 100000;
	for (int i = 0; i < CLOCKS; i++)
		must_open(&least, greedy, least.tasks[0], -1, -1);
	must_map(&least, must_open(&least, own, NULL, 0, -1), 8, &watcher);
	must_map(&least, must_open(&least, other, next, -1, -1), 8, &next_ring);
	for (int tick = 0; tick < TICKS; tick++) {
		for (int i = 0; i < STEPS; i++) {
			if (i % (STEPS / 2) == 0)
				least_switch(&least, i ? next : least.tasks[0]);
			least_advance(&least, STEP);
		}
		least_tick(&least);
	}
	count_records(watcher, &samples, &lost);
	assert_in_range(samples, TICKS * 4 - 1, TICKS * 4);
	count_records(next_ring, &of_next, &lost);
	assert_in_range(of_next, TICKS * 20 - TICKS, TICKS * 20);
	assert_int_equal(lost, 0);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_opening),
		cmocka_unit_test(test_share_of_a_task),
		cmocka_unit_test(test_share_of_others),
	};

	return cmocka_run_group_tests_name("core/least_clock", tests, NULL, NULL);
}
