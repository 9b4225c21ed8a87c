/* SPDX-License-Identifier: BSD-2-Clause */
/* Tasks ended by other tasks, wherever they are, and schedulers that report switches in unusual
 * ways. */
#include <stdlib.h>

#include "core/least_test.h"

static struct least least;
static struct least_task *kept;

/* End a task from the thread's CPU inside a critical section. Then the task's CPU switches away and
 * the task's memory is freed. */
static bool end_task(struct least_task *task)
{
	uint32_t was = least.cpu;
	bool left;

	least.off++;
	left = tally_core_end(least.core, &task->perf);
	least.off--;
	if (task->cpu >= 0) {
		least_on(&least, (uint32_t)task->cpu);
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
		least_switch(&least, NULL);
		least_on(&least, was);
	}
	for (int i = 0; i < LEAST_TASKS; i++) {
		if (least.tasks[i] == task)
			least.tasks[i] = NULL;
	}
	/* A reference keeps the memory, as task_get() promises. */
	if (task->refs)
		kept = task;
	else
		free(task);
	return left;
}

static struct least_task *run_on(struct least_task *task, uint32_t cpu)
{
	least_on(&least, cpu);
	least_switch(&least, task);
	return task;
}

/* A task that is ended while it runs on another CPU counts until that CPU switches. */
static void test_running(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *child;
	int own, inherited;

	least_test_begin(&least, 2, NULL);
	attr.inherit = 1;
	inherited = must_open(&least, attr, least.tasks[0], -1, -1);
	child = run_on(least_fork(&least, least.tasks[0], true), 1);
	attr.inherit = 0;
	own = must_open(&least, attr, child, -1, -1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 3);
	least_on(&least, 0);
	least.nr_ops[LEAST_OP_CALL] = least.nr_ops[LEAST_OP_LOCK] = 0;
	assert_true(end_task(child));
	assert_int_equal(least.nr_ops[LEAST_OP_CALL] + least.nr_ops[LEAST_OP_LOCK], 0);
	tally_core_reap(least.core);
	assert_int_equal(count_of(&least, inherited), 4);
	assert_int_equal(count_of(&least, own), 4);
	assert_int_equal(least_poll(&least, own), TALLY_CORE_POLLHUP);
	least_end(&least);
}

/* The task is reaped while it is still current on its CPU. */
static void test_reaped_on(void **state)
{
	struct least_task *task;
	int fd;

	least_test_begin(&least, 2, NULL);
	task = run_on(least_task_new(&least), 1);
	fd = must_open(&least, attr_faults(0), task, -1, -1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 3);
	least_on(&least, 0);
	least.off++;
	assert_true(tally_core_end(least.core, &task->perf));
	least.off--;
	tally_core_reap(least.core);
	least_on(&least, 1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	least_on(&least, 0);
	assert_int_equal(count_of(&least, fd), 3);
	assert_int_equal(least_open(&least, least.tasks[0],
				    &(struct perf_event_attr){.type = 1, .size = 64}, 64,
				    task->perf.tid, -1, -1, 0),
			 -ESRCH);
	assert_false(end_task(task));
	least_end(&least);
}

/* Clones exchange their contexts at switches. A clone that was ended keeps its own. */
static void test_clones(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct least_task *clones[3];
	int fd;

	least_test_begin(&least, 2, NULL);
	attr.inherit = 1;
	fd = must_open(&least, attr, least.tasks[0], -1, -1);
	for (int i = 0; i < 3; i++)
		clones[i] = least_fork(&least, least.tasks[0], true);
	least_on(&least, 1);
	for (int i = 0; i < 6; i++) {
		least_switch(&least, clones[i % 3]);
		least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	}
	least_on(&least, 0);
	assert_true(end_task(clones[2])); /* runs; its CPU counts 7 before it switches */
	assert_true(end_task(clones[0])); /* not running */
	run_on(clones[1], 1);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	least_on(&least, 0);
	tally_core_reap(least.core);
	assert_int_equal(count_of(&least, fd), 8);
	least_end(&least);
}

static struct least_task *victim;
static uint64_t left;

static void end_victim(struct least *where, enum least_point point, const volatile void *what)
{
	struct least_task *task = victim;

	if (where->off || where->nmi || !task || !left || --left)
		return;
	victim = NULL;
	end_task(task);
}

/* The task is ended at every possible point while another task opens events on it. */
static void test_opened(void **state)
{
	uint64_t nth = 0;

	do {
		struct perf_event_attr attr = attr_faults(0);
		int fds[2], nr = 0, tid;

		least_test_begin(&least, 2, NULL);
		victim = least_task_new(&least);
		tid = victim->perf.tid;
		run_on(victim, 1);
		least_on(&least, 0);
		left = ++nth;
		least.at = end_victim;
		for (int i = 0; i < 2; i++) {
			int fd = least_open(&least, least.tasks[0], &attr, sizeof(attr), tid, -1,
					    -1, 0);

			if (fd >= 0)
				fds[nr++] = fd;
			else
				assert_int_equal(fd, -ESRCH);
		}
		least.at = NULL;
		tally_core_reap(least.core);
		while (nr)
			least_close(&least, fds[--nr]);
		least_end(&least);
		free(kept);
		kept = NULL;
	} while (!left);
	assert_true(nth > 10);
}

/* End the task when its CPU, which was asked to start the first context, reads the clock. */
static void end_running(struct least *where, enum least_point point, const volatile void *what)
{
	uint32_t cpu = where->cpu;
	uintptr_t off = where->off;

	if (point != LEAST_AT_CLOCK || cpu != 1 || !victim->perf.context || !left || --left)
		return;
	where->cpu = 2;
	where->off = 1;
	assert_true(tally_core_end(where->core, &victim->perf));
	where->cpu = cpu;
	where->off = off;
}

/* A third CPU ends a running task while another one opens an event on it. */
static void test_ended_while_put_on(void **state)
{
	uint64_t nth = 0;

	do {
		int fd;

		least_test_begin(&least, 3, NULL);
		victim = run_on(least_task_new(&least), 1);
		least_on(&least, 0);
		left = ++nth;
		least.at = end_running;
		fd = must_open(&least, attr_faults(0), victim, -1, -1);
		least.at = NULL;
		assert_int_equal(end_task(victim), !!left);
		tally_core_reap(least.core);
		assert_in_range(count_of(&least, fd), 0, 1);
		least_end(&least);
	} while (!left);
	assert_true(nth > 1);
}

struct exit_record {
	struct perf_event_header header;
	int32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* The memory of an ended task is reused before the task is reaped, which happens when another task
 * runs. The exit record must still contain the task's own IDs. */
static void test_last_record(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_buffer *buffer;
	struct {
		struct exit_record exit;
		int32_t id_pid, id_tid;
	} record;
	struct least_task *task;
	int32_t tid;

	least_test_begin(&least, 1, NULL);
	task = least_task_new(&least);
	tid = task->perf.tid;
	attr.task = attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID;
	must_map(&least, must_open(&least, attr, task, -1, -1), 1, &buffer);
	least_switch(&least, task);
	least_switch(&least, least.tasks[0]);
	least.off++;
	assert_true(tally_core_end(least.core, &task->perf));
	least.off--;
	memset(&task->perf, 0xdd, sizeof(task->perf));
	tally_core_reap(least.core);
	assert_int_equal(tally_core_buffer_read(buffer, &record, sizeof(record)), sizeof(record));
	assert_int_equal(record.exit.header.type, PERF_RECORD_EXIT);
	assert_int_equal(record.exit.tid, tid);
	assert_int_equal(record.id_tid, tid);
	least.tasks[1] = NULL;
	free(task);
	least_end(&least);
}

/* Task events report an ended task with its IDs in each of two namespaces, after it is reaped. CPU
 * events report it immediately. */
static void test_last_numbers(void **state)
{
	enum { VIEWERS = 2, SEEN_LESS = 40 };
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_buffer *buffers[VIEWERS + 1];
	struct exit_record record;
	struct least_task *task;
	int32_t tid;

	least_test_begin(&least, 1, NULL);
	task = least_task_new(&least);
	tid = task->perf.tid;
	attr.task = 1;
	for (int i = 0; i <= VIEWERS; i++) {
		least.tasks[0]->perf.viewer = (void *)(uintptr_t)(i % VIEWERS * SEEN_LESS);
		must_map(&least,
			 must_open(&least, attr, i < VIEWERS ? task : NULL, i < VIEWERS ? -1 : 0,
				   -1),
			 1, &buffers[i]);
	}
	/* An event of a namespace that no longer exists then, because its only event was closed. */
	least.tasks[0]->perf.viewer = &least;
	least_close(&least, must_open(&least, attr, task, -1, -1));
	least.gone_viewer = &least;
	least_switch(&least, task);
	least_switch(&least, least.tasks[0]);
	assert_true(end_task(task));
	assert_int_equal(tally_core_buffer_read(buffers[VIEWERS], &record, sizeof(record)),
			 sizeof(record));
	assert_int_equal(record.tid, tid);
	tally_core_reap(least.core);
	for (int i = 0; i < VIEWERS; i++) {
		assert_int_equal(tally_core_buffer_read(buffers[i], &record, sizeof(record)),
				 sizeof(record));
		assert_int_equal(record.header.type, PERF_RECORD_EXIT);
		assert_int_equal(record.tid, tid - i * SEEN_LESS);
		assert_int_equal(record.pid, tid - i * SEEN_LESS);
	}
	assert_int_equal(tally_core_buffer_read(buffers[VIEWERS], &record, sizeof(record)), 0);
	least_end(&least);
}

/* An iterator holds a reference to an event while all events are closed. Each event is closed once,
 * even if it was closed before. */
static void test_held_while_all_are_closed(void **state)
{
	const struct tally_core_event_setup setup = {.cpu = 0};
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_event *events[3], *held;

	least_test_begin(&least, 1, NULL);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			tally_core_event_create(least.core, &attr, &setup, &events[i], NULL), 0);
	held = tally_core_event_next(least.core, NULL);
	assert_ptr_equal(held, events[0]);
	tally_core_close(least.core, events[0]);
	assert_int_equal(tally_core_close_all(least.core), 2);
	assert_int_equal(tally_core_close_all(least.core), 0);
	tally_core_event_put(held);
	least_end(&least);
}

/* The scheduler reports a switch twice, a switch to the current task, or a wrong previous task. */
static void test_switches(void **state)
{
	struct least_task *a, *b;
	int fd, other;

	least_test_begin(&least, 1, NULL);
	a = least_task_new(&least);
	b = least_task_new(&least);
	fd = must_open(&least, attr_faults(0), a, -1, -1);
	other = must_open(&least, attr_faults(0), b, -1, -1);
	least_switch(&least, a);
	least.off++;
	tally_core_switch(least.core, NULL, &a->perf, false);
	tally_core_switch(least.core, &a->perf, &a->perf, false);
	tally_core_switch(least.core, &b->perf, &a->perf, true);
	least.off--;
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 2);
	least.off++;
	tally_core_switch(least.core, NULL, &b->perf, false); /* reported, but not made */
	tally_core_switch(least.core, &a->perf, &a->perf, false);
	least.off--;
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 3);
	assert_int_equal(count_of(&least, fd), 5);
	assert_int_equal(count_of(&least, other), 0);
	least_end(&least);
}

/* The host can still find the task, because its CPU switches later. */
static void no_event_is_opened_on_a_task_that_has_exited(void **state)
{
	const struct perf_event_attr attr = attr_faults(0);
	struct least_task *task;

	least_test_begin(&least, 1, NULL);
	task = run_on(least_task_new(&least), 0);
	tally_core_exit(least.core, &task->perf);
	assert_int_equal(
		least_open(&least, least.tasks[0], &attr, sizeof(attr), task->perf.tid, -1, -1, 0),
		-ESRCH);
	least_end(&least);
}

/* A task opens an event on another task and exits. The next task has the same memory. */
static void a_task_has_none_of_the_events_of_one_before_it(void **state)
{
	const struct perf_event_attr attr = attr_faults(0);
	struct least_task *task;
	int32_t tid;
	int fds[2];

	least_test_begin(&least, 1, NULL);
	task = least_task_new(&least);
	tid = task->perf.tid;
	run_on(least.tasks[0], 0);
	for (int i = 0; i < 2; i++) {
		fds[i] = least_open(&least, task, &attr, sizeof(attr), least.tasks[0]->perf.tid, -1,
				    -1, 0);
		assert_true(fds[i] >= 0);
		if (i == 1)
			break;
		tally_core_exit(least.core, &task->perf);
		tally_core_task_init(&task->perf, tid, tid);
		task->perf.user = &least.users[0];
	}
	least_close(&least, fds[0]);
	least_prctl(&least, task, TALLY_CORE_PRCTL_DISABLE);
	least_software(&least, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(count_of(&least, fds[1]), 0);
	least_end(&least);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_reaped_on),
		cmocka_unit_test(test_clones),
		cmocka_unit_test(test_opened),
		cmocka_unit_test(test_ended_while_put_on),
		cmocka_unit_test(test_last_record),
		cmocka_unit_test(test_last_numbers),
		cmocka_unit_test(test_held_while_all_are_closed),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(no_event_is_opened_on_a_task_that_has_exited),
		cmocka_unit_test(a_task_has_none_of_the_events_of_one_before_it),
	};

	return cmocka_run_group_tests_name("core/end", tests, NULL, NULL);
}
