/* SPDX-License-Identifier: BSD-2-Clause */
/* What who does not use the core pays for it, and what many CPUs cost. */
#include "core/least/step.h"
#include "core/least_test.h"
#include "probe.h"

static struct least least;

enum { CPUS = 256 };

/* Without an event nobody waits for anybody. */
static void test_no_lock(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *parent, *child;

	least_test_begin(&least, 2, NULL);
	parent = least_task_new(&least);
	must_open(&least, attr, least.tasks[0], -1, -1);
	must_open(&least, attr, NULL, 1, -1);
	least.nr_ops[LEAST_OP_LOCK] = 0;
	least_switch(&least, parent);
	child = least_fork(&least, parent, true);
	least_switch(&least, child);
	least_exec(&least, child, true);
	least_exit(&least, child);
	assert_int_equal(least.nr_ops[LEAST_OP_LOCK], 0);
	least_end(&least);
}

/* Only who may write to a ring is asked whether it still does. */
static void test_calls(void **state)
{
	int fds[CPUS];

	least_test_begin(&least, CPUS, NULL);
	for (int i = 0; i < CPUS; i++) {
		fds[i] = must_open(&least, attr_faults(1000), NULL, i, -1);
		must_map(&least, fds[i], 1, NULL);
	}
	least.nr_ops[LEAST_OP_CALL] = 0;
	for (int i = 0; i < CPUS; i++)
		least_munmap(&least, fds[i]);
	assert_in_range(least.nr_ops[LEAST_OP_CALL], 0, 2 * CPUS);
	for (int i = 0; i < CPUS; i++)
		least_close(&least, fds[i]);
	assert_in_range(least.nr_ops[LEAST_OP_CALL], 0, 6 * CPUS);
	least_end(&least);
}

/* Nothing is held for records that nobody asked for. */
static void test_memory(void **state)
{
	least_test_begin(&least, CPUS, NULL);
	assert_in_range(least.bytes, 1, CPUS * 4096);
	least_end(&least);
}

/* The instructions of a switch to the task and back. */
static uint64_t switch_cost(struct least_task *task)
{
	least_step_begin(NULL, NULL, 0);
	least_switch(&least, task);
	least_switch(&least, NULL);
	return least_step_end();
}

/* A task's events of other CPUs are not looked at. */
static void test_switch(void **state)
{
	struct least_task *task;
	uint64_t few;

	if (!least_can_step())
		probe_skip("this machine does not stop after each instruction");
	least_test_begin(&least, CPUS, NULL);
	task = least_task_new(&least);
	least_on(&least, 3);
	must_open(&least, attr_counter(0), task, 3, -1);
	few = switch_cost(task);
	for (int i = 0; i < CPUS; i++) {
		if (i != 3)
			must_open(&least, attr_counter(0), task, i, -1);
	}
	assert_in_range(switch_cost(task), 1, few * 3 / 2);
	least_end(&least);
}

/* ---- hooks that know whether anybody watches --------------------------------------------- */

static struct tally_host_ops watched_ops;
static struct tally_core *watched;
static struct tally_core_event *other_event;
static uint64_t until;

static struct tally_core_task *op_running(void *host)
{
	return least.cpus[least.cpu].task ? &least.cpus[least.cpu].task->perf : NULL;
}

/* A core beside that of the host, whose hooks ask whether they are of use. */
static void watched_begin(void)
{
	least_test_begin(&least, 2, NULL);
	watched_ops = least_ops;
	watched_ops.running = op_running;
	assert_int_equal(tally_core_create(&watched_ops, &least, 2, NULL, &watched), 0);
	for (uint32_t i = 0; i < 2; i++)
		tally_core_cpu_online(watched, i);
}

static void watched_end(void)
{
	assert_false(tally_core_is_watched(watched));
	tally_core_destroy(watched);
	least_end(&least);
}

static struct tally_core_event *create_on(struct tally_core *core)
{
	const struct perf_event_attr attr = attr_faults(0);
	const struct tally_core_event_setup setup = {.cpu = 0};
	struct tally_core_event *event = NULL;

	assert_int_equal(tally_core_event_create(core, &attr, &setup, &event, NULL), 0);
	return event;
}

/* Locks of an event that is opened and closed. */
static uint64_t locks_of_event(struct tally_core *core)
{
	uint64_t before = locks_taken(&least);

	tally_core_close(core, create_on(core));
	return locks_taken(&least) - before;
}

/* While there is an event, others come and go without a lock that all of them share. */
static void test_watch_lock(void **state)
{
	struct tally_core_event *first;

	watched_begin();
	first = create_on(watched);
	assert_int_equal(locks_of_event(watched), locks_of_event(least.core));
	assert_true(tally_core_is_watched(watched));
	tally_core_close(watched, first);
	watched_end();
}

static void create_other(void)
{
	other_event = create_on(watched);
}

static void create_between(struct least *where, enum least_point point, const volatile void *what)
{
	if (until && !--until && !least_overlap(where, create_other))
		until = 1;
}

/* The last one goes, and another comes at any point of that: then it is watched. */
static void test_watched_again(void **state)
{
	uint64_t n = 1;

	do {
		struct tally_core_event *first;

		watched_begin();
		first = create_on(watched);
		other_event = NULL;
		until = n;
		least.at = create_between;
		tally_core_close(watched, first);
		least.at = NULL;
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
		cmocka_unit_test(test_no_lock),    cmocka_unit_test(test_calls),
		cmocka_unit_test(test_memory),     cmocka_unit_test(test_switch),
		cmocka_unit_test(test_watch_lock), cmocka_unit_test(test_watched_again),
	};

	return cmocka_run_group_tests_name("core/least_cost", tests, NULL, NULL);
}
