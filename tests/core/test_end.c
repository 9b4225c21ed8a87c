/* SPDX-License-Identifier: BSD-2-Clause */
/* Test tasks that are terminated by other tasks, whether they are running or not, and schedulers
 * that report switches in unusual ways. */
#include <stdlib.h>

#include "core/mini_test.h"

static struct mini mini;
static struct mini_task *kept;

/* Terminate a task from the current CPU inside a critical section. Afterwards the task's CPU
 * switches away and the task's memory is freed. */
static bool end_task(struct mini_task *task)
{
	uint32_t was = mini.cpu;
	bool left;

	mini.off++;
	left = tally_core_end(mini.core, &task->perf);
	mini.off--;
	if (task->cpu >= 0) {
		mini_on(&mini, (uint32_t)task->cpu);
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
		mini_switch(&mini, NULL);
		mini_on(&mini, was);
	}
	for (int i = 0; i < MINI_TASKS; i++) {
		if (mini.tasks[i] == task)
			mini.tasks[i] = NULL;
	}
	/* A reference keeps the memory allocated, as task_get() promises. */
	if (task->refs)
		kept = task;
	else
		free(task);
	return left;
}

static struct mini_task *run_on(struct mini_task *task, uint32_t cpu)
{
	mini_on(&mini, cpu);
	mini_switch(&mini, task);
	return task;
}

/* A task that is terminated while running on another CPU counts until that CPU switches. */
static void a_task_ended_while_running_counts_until_the_switch(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *child;
	int own, inherited;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = 1;
	inherited = must_open(&mini, attr, mini.tasks[0], -1, -1);
	child = run_on(mini_fork(&mini, mini.tasks[0], true), 1);
	attr.inherit = 0;
	own = must_open(&mini, attr, child, -1, -1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 3);
	mini_on(&mini, 0);
	mini.nr_ops[MINI_OP_CALL] = mini.nr_ops[MINI_OP_LOCK] = 0;
	assert_true(end_task(child));
	assert_int_equal(mini.nr_ops[MINI_OP_CALL] + mini.nr_ops[MINI_OP_LOCK], 0);
	tally_core_reap(mini.core);
	assert_int_equal(count_of(&mini, inherited), 4);
	assert_int_equal(count_of(&mini, own), 4);
	assert_int_equal(mini_poll(&mini, own), TALLY_CORE_POLLHUP);
	mini_end(&mini);
}

/* The task is reaped while it is still current on its CPU. */
static void a_task_is_reaped_while_current(void **state)
{
	struct mini_task *task;
	int fd;

	mini_test_begin(&mini, 2, NULL);
	task = run_on(mini_task_new(&mini), 1);
	fd = must_open(&mini, attr_faults(0), task, -1, -1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 3);
	mini_on(&mini, 0);
	mini.off++;
	assert_true(tally_core_end(mini.core, &task->perf));
	mini.off--;
	tally_core_reap(mini.core);
	mini_on(&mini, 1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	mini_on(&mini, 0);
	assert_int_equal(count_of(&mini, fd), 3);
	assert_int_equal(mini_open(&mini, mini.tasks[0],
				   &(struct perf_event_attr){.type = 1, .size = 64}, 64,
				   task->perf.tid, -1, -1, 0),
			 -ESRCH);
	assert_false(end_task(task));
	mini_end(&mini);
}

/* Clones exchange their contexts on a switch. A clone that has been terminated keeps its own
 * context. */
static void an_ended_clone_keeps_its_context(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct mini_task *clones[3];
	int fd;

	mini_test_begin(&mini, 2, NULL);
	attr.inherit = 1;
	fd = must_open(&mini, attr, mini.tasks[0], -1, -1);
	for (int i = 0; i < 3; i++)
		clones[i] = mini_fork(&mini, mini.tasks[0], true);
	mini_on(&mini, 1);
	for (int i = 0; i < 6; i++) {
		mini_switch(&mini, clones[i % 3]);
		mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	}
	mini_on(&mini, 0);
	assert_true(end_task(clones[2])); /* running; counts a 7th fault before its CPU switches */
	assert_true(end_task(clones[0])); /* not running */
	run_on(clones[1], 1);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	mini_on(&mini, 0);
	tally_core_reap(mini.core);
	assert_int_equal(count_of(&mini, fd), 8);
	mini_end(&mini);
}

static struct mini_task *victim;
static uint64_t left;

static void end_victim(struct mini *where, enum mini_point point, const volatile void *what)
{
	struct mini_task *task = victim;

	if (where->off || where->nmi || !task || !left || --left)
		return;
	victim = NULL;
	end_task(task);
}

/* The task is terminated at each possible point while another task opens events on it. */
static void a_task_is_ended_while_events_are_opened_on_it(void **state)
{
	uint64_t nth = 0;

	do {
		struct perf_event_attr attr = attr_faults(0);
		int fds[2], nr = 0, tid;

		mini_test_begin(&mini, 2, NULL);
		victim = mini_task_new(&mini);
		tid = victim->perf.tid;
		run_on(victim, 1);
		mini_on(&mini, 0);
		left = ++nth;
		mini.at = end_victim;
		for (int i = 0; i < 2; i++) {
			int fd = mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), tid, -1, -1,
					   0);

			if (fd >= 0)
				fds[nr++] = fd;
			else
				assert_int_equal(fd, -ESRCH);
		}
		mini.at = NULL;
		tally_core_reap(mini.core);
		while (nr)
			mini_close(&mini, fds[--nr]);
		mini_end(&mini);
		free(kept);
		kept = NULL;
	} while (!left);
	assert_true(nth > 10);
}

/* Terminate the task when its CPU reads the clock while starting the task's first context. */
static void end_running(struct mini *where, enum mini_point point, const volatile void *what)
{
	uint32_t cpu = where->cpu;
	uintptr_t off = where->off;

	if (point != MINI_AT_CLOCK || cpu != 1 || !victim->perf.context || !left || --left)
		return;
	where->cpu = 2;
	where->off = 1;
	assert_true(tally_core_end(where->core, &victim->perf));
	where->cpu = cpu;
	where->off = off;
}

/* A third CPU terminates a running task while another CPU opens an event on it. */
static void a_task_is_ended_while_its_context_is_scheduled(void **state)
{
	uint64_t nth = 0;

	do {
		int fd;

		mini_test_begin(&mini, 3, NULL);
		victim = run_on(mini_task_new(&mini), 1);
		mini_on(&mini, 0);
		left = ++nth;
		mini.at = end_running;
		fd = must_open(&mini, attr_faults(0), victim, -1, -1);
		mini.at = NULL;
		assert_int_equal(end_task(victim), !!left);
		tally_core_reap(mini.core);
		assert_in_range(count_of(&mini, fd), 0, 1);
		mini_end(&mini);
	} while (!left);
	assert_true(nth > 1);
}

struct exit_record {
	struct perf_event_header header;
	int32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* The memory of a terminated task is reused before the task is reaped, i.e. before another task
 * runs. The exit record must still contain the original task's IDs. */
static void the_exit_record_has_the_ids_of_the_ended_task(void **state)
{
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_buffer *buffer;
	struct {
		struct exit_record exit;
		int32_t id_pid, id_tid;
	} record;
	struct mini_task *task;
	int32_t tid;

	mini_test_begin(&mini, 1, NULL);
	task = mini_task_new(&mini);
	tid = task->perf.tid;
	attr.task = attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID;
	must_map(&mini, must_open(&mini, attr, task, -1, -1), 1, &buffer);
	mini_switch(&mini, task);
	mini_switch(&mini, mini.tasks[0]);
	mini.off++;
	assert_true(tally_core_end(mini.core, &task->perf));
	mini.off--;
	memset(&task->perf, 0xdd, sizeof(task->perf));
	tally_core_reap(mini.core);
	assert_int_equal(tally_core_buffer_read(buffer, &record, sizeof(record)), sizeof(record));
	assert_int_equal(record.exit.header.type, PERF_RECORD_EXIT);
	assert_int_equal(record.exit.tid, tid);
	assert_int_equal(record.id_tid, tid);
	mini.tasks[1] = NULL;
	free(task);
	mini_end(&mini);
}

/* After a terminated task has been reaped, task events record its exit with the task's IDs in each
 * of two namespaces. CPU events record the exit immediately. */
static void the_exit_record_has_the_ids_in_each_namespace(void **state)
{
	enum { VIEWERS = 2, SEEN_LESS = 40 };
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_buffer *buffers[VIEWERS + 1];
	struct exit_record record;
	struct mini_task *task;
	int32_t tid;

	mini_test_begin(&mini, 1, NULL);
	task = mini_task_new(&mini);
	tid = task->perf.tid;
	attr.task = 1;
	for (int i = 0; i <= VIEWERS; i++) {
		mini.tasks[0]->perf.viewer = (void *)(uintptr_t)(i % VIEWERS * SEEN_LESS);
		must_map(
			&mini,
			must_open(&mini, attr, i < VIEWERS ? task : NULL, i < VIEWERS ? -1 : 0, -1),
			1, &buffers[i]);
	}
	/* When the task exits, this event's namespace no longer exists, because the namespace's
	 * only event has been closed. */
	mini.tasks[0]->perf.viewer = &mini;
	mini_close(&mini, must_open(&mini, attr, task, -1, -1));
	mini.gone_viewer = &mini;
	mini_switch(&mini, task);
	mini_switch(&mini, mini.tasks[0]);
	assert_true(end_task(task));
	assert_int_equal(tally_core_buffer_read(buffers[VIEWERS], &record, sizeof(record)),
			 sizeof(record));
	assert_int_equal(record.tid, tid);
	tally_core_reap(mini.core);
	for (int i = 0; i < VIEWERS; i++) {
		assert_int_equal(tally_core_buffer_read(buffers[i], &record, sizeof(record)),
				 sizeof(record));
		assert_int_equal(record.header.type, PERF_RECORD_EXIT);
		assert_int_equal(record.tid, tid - i * SEEN_LESS);
		assert_int_equal(record.pid, tid - i * SEEN_LESS);
	}
	assert_int_equal(tally_core_buffer_read(buffers[VIEWERS], &record, sizeof(record)), 0);
	mini_end(&mini);
}

/* An iterator holds a reference to an event while all events are closed. Each event is closed only
 * once, even if it had been closed before. */
static void close_all_closes_a_referenced_event_once(void **state)
{
	const struct tally_core_event_setup setup = {.cpu = 0};
	struct perf_event_attr attr = attr_faults(0);
	struct tally_core_event *events[3], *held;

	mini_test_begin(&mini, 1, NULL);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			tally_core_event_create(mini.core, &attr, &setup, &events[i], NULL), 0);
	held = tally_core_event_next(mini.core, NULL);
	assert_ptr_equal(held, events[0]);
	tally_core_close(mini.core, events[0]);
	assert_int_equal(tally_core_close_all(mini.core), 2);
	assert_int_equal(tally_core_close_all(mini.core), 0);
	tally_core_event_put(held);
	mini_end(&mini);
}

/* The scheduler reports a switch twice, reports a switch to the current task, or reports a wrong
 * previous task. */
static void repeated_and_wrong_switch_reports_are_tolerated(void **state)
{
	struct mini_task *a, *b;
	int fd, other;

	mini_test_begin(&mini, 1, NULL);
	a = mini_task_new(&mini);
	b = mini_task_new(&mini);
	fd = must_open(&mini, attr_faults(0), a, -1, -1);
	other = must_open(&mini, attr_faults(0), b, -1, -1);
	mini_switch(&mini, a);
	mini.off++;
	tally_core_switch(mini.core, NULL, &a->perf, false);
	tally_core_switch(mini.core, &a->perf, &a->perf, false);
	tally_core_switch(mini.core, &b->perf, &a->perf, true);
	mini.off--;
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 2);
	mini.off++;
	tally_core_switch(mini.core, NULL, &b->perf, false); /* reported, but did not happen */
	tally_core_switch(mini.core, &a->perf, &a->perf, false);
	mini.off--;
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 3);
	assert_int_equal(count_of(&mini, fd), 5);
	assert_int_equal(count_of(&mini, other), 0);
	mini_end(&mini);
}

/* The host can still find the task, because its CPU has not switched yet. */
static void no_event_is_opened_on_a_task_that_has_exited(void **state)
{
	const struct perf_event_attr attr = attr_faults(0);
	struct mini_task *task;

	mini_test_begin(&mini, 1, NULL);
	task = run_on(mini_task_new(&mini), 0);
	tally_core_exit(mini.core, &task->perf);
	assert_int_equal(
		mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), task->perf.tid, -1, -1, 0),
		-ESRCH);
	mini_end(&mini);
}

/* A task opens an event on another task and exits. The next task reuses its memory. */
static void a_task_has_no_events_of_an_earlier_task_in_its_memory(void **state)
{
	const struct perf_event_attr attr = attr_faults(0);
	struct mini_task *task;
	int32_t tid;
	int fds[2];

	mini_test_begin(&mini, 1, NULL);
	task = mini_task_new(&mini);
	tid = task->perf.tid;
	run_on(mini.tasks[0], 0);
	for (int i = 0; i < 2; i++) {
		fds[i] = mini_open(&mini, task, &attr, sizeof(attr), mini.tasks[0]->perf.tid, -1,
				   -1, 0);
		assert_true(fds[i] >= 0);
		if (i == 1)
			break;
		tally_core_exit(mini.core, &task->perf);
		tally_core_task_init(&task->perf, tid, tid);
		task->perf.user = &mini.users[0];
	}
	mini_close(&mini, fds[0]);
	mini_prctl(&mini, task, TALLY_CORE_PRCTL_DISABLE);
	mini_software(&mini, PERF_COUNT_SW_PAGE_FAULTS, 1);
	assert_int_equal(count_of(&mini, fds[1]), 0);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_ended_while_running_counts_until_the_switch),
		cmocka_unit_test(a_task_is_reaped_while_current),
		cmocka_unit_test(an_ended_clone_keeps_its_context),
		cmocka_unit_test(a_task_is_ended_while_events_are_opened_on_it),
		cmocka_unit_test(a_task_is_ended_while_its_context_is_scheduled),
		cmocka_unit_test(the_exit_record_has_the_ids_of_the_ended_task),
		cmocka_unit_test(the_exit_record_has_the_ids_in_each_namespace),
		cmocka_unit_test(close_all_closes_a_referenced_event_once),
		cmocka_unit_test(repeated_and_wrong_switch_reports_are_tolerated),
		cmocka_unit_test(no_event_is_opened_on_a_task_that_has_exited),
		cmocka_unit_test(a_task_has_no_events_of_an_earlier_task_in_its_memory),
	};

	return cmocka_run_group_tests_name("core/end", tests, NULL, NULL);
}
