/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which threads are stopped for a sample, and when. A thread's CPU time cannot advance
 * faster than real time. So if its next sample is due after N ns of CPU time, the thread is not
 * checked for N ns. It is then stopped only if it is runnable and has been given a CPU since it was
 * last known not to be running. Stopping a sleeping thread would interrupt its system call for a
 * meaningless sample. The CPU time used by a sleeping thread is known to the nanosecond. If a
 * sample became due in that CPU time, it is taken the next time the thread is seen running.
 */
#include <sys/ptrace.h>

#include "base/arith.h"
#include "base/clock.h"
#include "hosts/user/thread_checks.h"
#include "hosts/user/user_private.h"

/* A check takes time, so the time between two checks grows with the number of tasks. */
enum { CHECK_COST_NS = 10000, LONGEST_NS = 10000000 };

static uint64_t random_below(struct tally_user *user, uint64_t limit)
{
	user->random ^= user->random << 13;
	user->random ^= user->random >> 7;
	user->random ^= user->random << 17;
	return limit ? user->random % limit : 0;
}

static void check_after(struct tally_user *user, struct user_task *task, uint64_t ns)
{
	uint64_t least = TALLY_MAX((uint64_t)user->tasks.len, 1) * CHECK_COST_NS;

	task->look_at = tally_clock_now() + TALLY_MAX(ns, least);
}

void user_checks_schedule(struct tally_user *user, struct user_task *task)
{
	task->runs = task->seen.runs;
	if (task->left == USER_NEVER || task->is_done)
		task->look_at = USER_NEVER;
	else
		check_after(user, task, task->left);
}

/* Return whether a task is runnable and, if schedstat is available, has been given a CPU since it
 * was last seen not running. */
static bool is_awake(const struct user_task *task, struct user_reading *now)
{
	if (now->runs && now->runs == task->runs && now->ns == task->seen.ns)
		return false;
	return !user_proc_read_state(&task->proc, now) && now->state == 'R';
}

/* Check a sleeping task later, at a random time, so that checks do not stay in phase with a task
 * that is woken periodically. */
static void check_later(struct tally_user *user, struct user_task *task, uint64_t left)
{
	left = TALLY_MIN(left, (uint64_t)LONGEST_NS);
	check_after(user, task, left + random_below(user, left / 8 + 1));
}

static void task_check(struct tally_user *user, struct user_task *task)
{
	const struct user_replay how = {0};
	struct user_reading now = task->seen;

	if (user_proc_read_time(&task->proc, &now)) {
		task->look_at = USER_NEVER;
		return;
	}
	if (is_awake(task, &now)) {
		task->interrupted = !ptrace(PTRACE_INTERRUPT, task->perf.tid, NULL, NULL);
		return;
	}
	user_replay(user, task, &now, &how);
	if (task->seen.ns == now.ns)
		task->runs = now.runs;
	check_later(user, task, task->seen.ns == now.ns ? task->left : task->period);
}

/* Reschedule each task's next check for the time when the task's next sample is due, if that is
 * earlier. Called when events have been started or changed. */
static void checks_reschedule(struct tally_user *user)
{
	uint64_t now;

	user->anew = false;
	user_catch_up(user, false);
	now = tally_clock_now();
	tally_vec_for_each (task, &user->tasks) {
		if ((*task)->left < USER_NEVER - now && now + (*task)->left < (*task)->look_at)
			user_checks_schedule(user, *task);
	}
}

void user_checks_run(struct tally_user *user)
{
	uint64_t now = tally_clock_now();

	if (user->anew)
		checks_reschedule(user);

	tally_vec_for_each (task, &user->tasks) {
		if (!(*task)->interrupted && (*task)->look_at <= now)
			task_check(user, *task);
	}
}

uint64_t user_checks_next(const struct tally_user *user)
{
	uint64_t next = USER_NEVER;

	tally_vec_for_each (task, &user->tasks) {
		if (!(*task)->interrupted)
			next = TALLY_MIN(next, (*task)->look_at);
	}
	return next;
}
