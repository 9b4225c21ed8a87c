/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replays CPU time on the core's clock. A reading shows how much CPU time a thread has used since
 * the previous reading. The host then reports this time to the core as if the thread were running
 * now: the thread is switched in on the CPU where it was seen, the clock advances by the time used,
 * running the timers that expire, and the thread is switched out. The core's clocks therefore count
 * CPU time to the nanosecond, and an interval gets one sample for each period that ends in it.
 *
 * Timestamps stay as close to CLOCK_MONOTONIC as possible, and increase on each CPU and for each
 * thread.
 */
#include "base/arith.h"
#include "base/clock.h"
#include "hosts/user/user_private.h"

enum { SETTLED_NS = 200000, SETTLED_SHARE = 4, TICKS_WORTH_NS = 1000000000, PIECES_MAX = 4096 };

/* Return the increase, or 0 if there is none: a value that was corrected upward at an exec may
 * exceed the next value read. */
static uint64_t since(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void serve_deferred(struct tally_user *user)
{
	uint32_t before = user->cpu;

	for (uint32_t i = 0; i < user->nr_cpus; i++) {
		if (!user->cpus[i].deferred)
			continue;
		user->cpus[i].deferred = false;
		user->cpu = i;
		tally_core_deferred(user->core);
	}
	user->cpu = before;
}

void user_call_begin(struct tally_user *user)
{
	user->cpu = 0;
	user->clock = TALLY_MAX(tally_clock_now(), user->cpus[0].clock);
}

void user_call_end(struct tally_user *user)
{
	serve_deferred(user);
}

/* Return the CPU on which the thread was last seen, unless that CPU's clock is already ahead of
 * real time; in that case, return the CPU with the lowest clock. A clock gets ahead because all the
 * time a thread used is attributed to the CPU that it last ran on. */
static uint32_t choose_cpu(const struct tally_user *user, uint32_t seen, uint64_t now)
{
	uint32_t best = seen < user->nr_cpus ? seen : 0;

	if (user->cpus[best].clock <= now)
		return best;
	for (uint32_t i = 0; i < user->nr_cpus; i++) {
		if (user->cpus[i].clock < user->cpus[best].clock)
			best = i;
	}
	return best;
}

/* Advance the clock to `end`, running the timers and ticks that are due before `end`. */
static void run_until(struct tally_user *user, uint64_t end,
		      const struct tally_core_sample_data *sample_data)
{
	struct user_cpu *cpu = &user->cpus[user->cpu];
	uint32_t tick = tally_core_settings(user->core)->tick_ns;

	if (cpu->tick_at < user->clock || end - user->clock > TICKS_WORTH_NS)
		cpu->tick_at = end;
	while (TALLY_MIN(cpu->timer_at, cpu->tick_at) <= end) {
		user->clock = TALLY_MAX(user->clock, TALLY_MIN(cpu->timer_at, cpu->tick_at));
		if (cpu->timer_at <= user->clock) {
			cpu->timer_at = USER_NEVER;
			tally_core_timer(user->core, sample_data);
		} else {
			cpu->tick_at = user->clock + tick;
			tally_core_tick(user->core, sample_data);
		}
	}
	user->clock = end;
}

/* Report a count to the core. If any event samples or stops after a certain count, split the count
 * into at most PIECES_MAX parts, and report each part separately. */
static void report_count(struct tally_user *user, uint32_t id, uint64_t nr,
			 const struct tally_core_sample_data *sample_data)
{
	uint64_t pieces = user->nr_sampled_counts ? TALLY_MIN(nr, (uint64_t)PIECES_MAX) : 1;

	for (; nr; nr -= nr / pieces, pieces--)
		tally_core_software(user->core, id, nr / pieces, sample_data);
}

static void report_counts(struct tally_user *user, const struct user_reading *from,
			  const struct user_reading *to,
			  const struct tally_core_sample_data *sample_data)
{
	const struct tally_core_sample_data kernel = {.mode = PERF_RECORD_MISC_KERNEL};
	uint64_t minor = since(from->minor, to->minor), major = since(from->major, to->major);
	const struct {
		uint32_t id;
		uint64_t nr;
		bool by_kernel;
	} counts[] = {
		{PERF_COUNT_SW_PAGE_FAULTS, minor + major, false},
		{PERF_COUNT_SW_PAGE_FAULTS_MIN, minor, false},
		{PERF_COUNT_SW_PAGE_FAULTS_MAJ, major, false},
		{PERF_COUNT_SW_CONTEXT_SWITCHES, since(from->switches, to->switches), true},
		{PERF_COUNT_SW_CPU_MIGRATIONS, since(from->migrations, to->migrations), true},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(counts); i++)
		report_count(user, counts[i].id, counts[i].nr,
			     counts[i].by_kernel ? &kernel : sample_data);
}

/* Record the time left until the task's next sample, which is known only while the task is on its
 * CPU. */
static void record_left(struct tally_user *user, struct user_task *task)
{
	uint64_t at = user->cpus[user->cpu].timer_at;

	task->left = at == USER_NEVER ? USER_NEVER : at > user->clock ? at - user->clock : 0;
	if (task->left != USER_NEVER)
		task->period = TALLY_MAX(task->period, task->left);
}

/* Return whether a sample is due within the CPU time used, so that the replay must wait until the
 * thread is stopped. If the next sample is unknown because the task has not been switched in since
 * an event was enabled, switch the task in and out first to find out. */
static bool must_defer(struct tally_user *user, struct user_task *task, uint64_t used)
{
	const struct user_replay nothing = {0};

	if (user->settings.samples && task->left == USER_NEVER)
		user_replay(user, task, &task->seen, &nothing);
	return used >= task->left;
}

void user_replay(struct tally_user *user, struct user_task *task, const struct user_reading *now,
		 const struct user_replay *how)
{
	const struct tally_core_sample_data nowhere = {.mode = PERF_RECORD_MISC_USER};
	const struct tally_core_sample_data *sample_data =
		how->sample_data ? how->sample_data : &nowhere;
	uint64_t used = since(task->seen.ns, now->ns);
	uint64_t real = tally_clock_now(), start = real > used ? real - used : 0;

	if (used && !how->sample_data && !how->whole && must_defer(user, task, used))
		return;
	user->cpu = choose_cpu(user, now->cpu, real);
	user->clock = TALLY_MAX(TALLY_MAX(start, task->end), user->cpus[user->cpu].clock);
	tally_core_switch(user->core, NULL, &task->perf, false);
	if (used)
		run_until(user, user->clock + used, sample_data);
	report_counts(user, &task->seen, now, sample_data);
	task->seen = *now;
	task->used = used;
	if (how->hook)
		how->hook(user, task, how->arg);
	record_left(user, task);
	tally_core_switch(user->core, &task->perf, NULL, false);
	user->cpus[user->cpu].clock = task->end = user->clock;
	serve_deferred(user);
}

void user_catch_up_task(struct tally_user *user, struct user_task *task)
{
	const struct user_replay how = {0};
	struct user_reading now = task->seen;

	if (!task->is_done && !user_proc_read_all(&task->proc, &now))
		user_replay(user, task, &now, &how);
}

void user_catch_up(struct tally_user *user, bool recent)
{
	uint64_t now = tally_clock_now();

	if (recent && now < user->settle_at)
		return;
	if (user->self_used)
		user_catch_up_task(user, &user->self);
	tally_vec_for_each (task, &user->tasks)
		user_catch_up_task(user, *task);
	user->settle_at = tally_clock_now();
	user->settle_at += TALLY_MAX((user->settle_at - now) * SETTLED_SHARE, (uint64_t)SETTLED_NS);
}
