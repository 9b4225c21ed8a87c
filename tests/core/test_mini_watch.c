/* SPDX-License-Identifier: BSD-2-Clause */
/* Test tally_core_is_watched(), which hooks call to check whether a core has events. */
#include "core/mini_test.h"

static struct mini mini;

static struct tally_host_ops watched_ops;
static struct tally_core *watched;
static struct tally_core_event *other_event;
static uint64_t until;

static struct tally_core_task *op_running(void *host)
{
	return mini.cpus[mini.cpu].task ? &mini.cpus[mini.cpu].task->perf : NULL;
}

/* Create a second core in addition to the host's. */
static void watched_begin(void)
{
	mini_test_begin(&mini, 2, NULL);
	watched_ops = mini_ops;
	watched_ops.running = op_running;
	assert_int_equal(tally_core_create(&watched_ops, &mini, 2, NULL, &watched), 0);
	for (uint32_t i = 0; i < 2; i++)
		tally_core_cpu_online(watched, i);
}

static void watched_end(void)
{
	assert_false(tally_core_is_watched(watched));
	tally_core_destroy(watched);
	mini_end(&mini);
}

static struct tally_core_event *create_on(struct tally_core *core)
{
	const struct perf_event_attr attr = attr_faults(0);
	const struct tally_core_event_setup setup = {.cpu = 0};
	struct tally_core_event *event = NULL;

	assert_int_equal(tally_core_event_create(core, &attr, &setup, &event, NULL), 0);
	return event;
}

/* Return the number of locks taken by opening and closing an event. */
static uint64_t locks_of_event(struct tally_core *core)
{
	uint64_t before = locks_taken(&mini);

	tally_core_close(core, create_on(core));
	return locks_taken(&mini) - before;
}

/* While an event exists, other events are opened and closed without taking a core-wide lock. */
static void an_event_of_a_watched_core_takes_no_shared_lock(void **state)
{
	struct tally_core_event *first;

	watched_begin();
	first = create_on(watched);
	assert_int_equal(locks_of_event(watched), locks_of_event(mini.core));
	assert_true(tally_core_is_watched(watched));
	tally_core_close(watched, first);
	watched_end();
}

static void create_other(void)
{
	other_event = create_on(watched);
}

static void create_between(struct mini *where, enum mini_point point, const volatile void *what)
{
	if (until && !--until && !mini_overlap(where, create_other))
		until = 1;
}

/* Open the other event at each point during the close. */
static void a_core_stays_watched_if_an_event_opens_while_the_last_closes(void **state)
{
	uint64_t n = 1;

	do {
		struct tally_core_event *first;

		watched_begin();
		first = create_on(watched);
		other_event = NULL;
		until = n;
		mini.at = create_between;
		tally_core_close(watched, first);
		mini.at = NULL;
		assert_int_equal(tally_core_is_watched(watched), !!other_event);
		if (other_event)
			tally_core_close(watched, other_event);
		watched_end();
		n++;
	} while (other_event);
	assert_true(n > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_of_a_watched_core_takes_no_shared_lock),
		cmocka_unit_test(a_core_stays_watched_if_an_event_opens_while_the_last_closes),
	};

	return cmocka_run_group_tests_name("core/minimal_watch", tests, NULL, NULL);
}
