/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns on the counters: which groups a tick takes off, and which it leaves on. */
#include "core/least_test.h"

enum { TICK = 4000000 };

static struct least least;

static struct perf_event_attr attr_timed(void)
{
	struct perf_event_attr attr = attr_counter(0);

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

/* How long the event has been on a counter. */
static uint64_t running_of(int fd)
{
	uint64_t words[3] = {0};

	assert_int_equal(least_read(&least, fd, words, sizeof(words)), sizeof(words));
	return words[2];
}

static void tick_after(uint64_t ns)
{
	least_advance(&least, ns);
	least_tick(&least);
}

/* Four counters, five events: the first tick puts the fifth one on and the fourth one off. The
 * fourth one returns shortly before the second tick. */
static void a_group_that_returned_shortly_before_a_tick_stays_on(void **state)
{
	int fds[6];

	least_test_begin(&least, 1, NULL);
	for (int i = 0; i < 5; i++)
		fds[i] = must_open(&least, attr_timed(), NULL, 0, -1);
	tick_after(TICK);
	assert_int_equal(running_of(fds[3]), TICK);
	least_advance(&least, TICK - TICK / 8);
	least_close(&least, fds[4]);
	fds[4] = must_open(&least, attr_timed(), NULL, 0, -1);
	tick_after(TICK / 8);
	assert_int_equal(running_of(fds[3]), TICK + TICK / 8);
	least_advance(&least, TICK / 2);
	assert_int_equal(running_of(fds[3]), TICK + TICK / 8 + TICK / 2);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_that_returned_shortly_before_a_tick_stays_on),
	};

	return cmocka_run_group_tests_name("core/least_turns", tests, NULL, NULL);
}
