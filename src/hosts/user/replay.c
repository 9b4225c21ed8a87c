/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core's clock is the CPU time that is replayed. A reading finds what a thread used since the
 * one before; then the core is told, as if it happened now: the thread comes onto the CPU that it
 * was seen on, the clock goes on by the time that it used, with the timers that fall into it, and
 * the thread leaves. So the core's clocks count CPU time to the nanosecond, and what falls into an
 * interval is sampled as often as periods end in it.
 *
 * Times stay as near to CLOCK_MONOTONIC as they can, and rise on each CPU and for each thread.
 */
#include "base/arith.h"
#include "base/clock.h"
#include "hosts/user/private.h"

enum { SETTLED_NS = 200000, SETTLED_SHARE = 4, TICKS_WORTH_NS = 1000000000, PIECES_MAX = 4096 };

/* Sums that were corrected may stand before what is read. */
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

void user_enter(struct tally_user *user)
{
	user->cpu = 0;
	user->clock = TALLY_MAX(tally_clock_now(), user->cpus[0].clock);
}

void user_leave(struct tally_user *user)
{
	serve_deferred(user);
}

/* The CPU that it was on; the one that lags behind most where that one has been told more than it
 * can have done, as threads are told to where they ran last. */
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

/* The clock goes on until `end`; timers and ticks come when they are due. */
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

/* Events that sample or stop after a number of counts are told each single one, up to a number that
 * takes a moment. */
static void tell_count(struct tally_user *user, uint32_t id, uint64_t nr,
		       const struct tally_core_sample_data *sample_data)
{
	uint64_t pieces = user->nr_sampled_counts ? TALLY_MIN(nr, (uint64_t)PIECES_MAX) : 1;

	for (; nr; nr -= nr / pieces, pieces--)
		tally_core_software(user->core, id, nr / pieces, sample_data);
}

static void tell_counts(struct tally_user *user, const struct user_reading *from,
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
		tell_count(user, counts[i].id, counts[i].nr,
			   counts[i].by_kernel ? &kernel : sample_data);
}

/* What a task needs for its next sample is known while it is on. */
static void note_left(struct tally_user *user, struct user_task *task)
{
	uint64_t at = user->cpus[user->cpu].timer_at;

	task->left = at == USER_NEVER ? USER_NEVER : at > user->clock ? at - user->clock : 0;
	if (task->left != USER_NEVER)
		task->period = TALLY_MAX(task->period, task->left);
}

/* Whether a sample falls into what was used, which has to wait until the thread is stopped. What it
 * waits for is not known of one that was not on since an event was enabled. */
static bool is_put_off(struct tally_user *user, struct user_task *task, uint64_t used)
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

	if (used && !how->sample_data && !how->whole && is_put_off(user, task, used))
		return;
	user->cpu = choose_cpu(user, now->cpu, real);
	user->clock = TALLY_MAX(TALLY_MAX(start, task->end), user->cpus[user->cpu].clock);
	tally_core_switch(user->core, NULL, &task->perf, false);
	if (used)
		run_until(user, user->clock + used, sample_data);
	tell_counts(user, &task->seen, now, sample_data);
	task->seen = *now;
	task->used = used;
	if (how->hook)
		how->hook(user, task, how->arg);
	note_left(user, task);
	tally_core_switch(user->core, &task->perf, NULL, false);
	user->cpus[user->cpu].clock = task->end = user->clock;
	serve_deferred(user);
}

void user_settle_task(struct tally_user *user, struct user_task *task)
{
	const struct user_replay how = {0};
	struct user_reading now = task->seen;

	if (!task->is_done && !user_proc_read_all(&task->proc, &now))
		user_replay(user, task, &now, &how);
}

void user_settle(struct tally_user *user, bool recent)
{
	uint64_t now = tally_clock_now();

	if (recent && now < user->settle_at)
		return;
	if (user->self_used)
		user_settle_task(user, &user->self);
	tally_vec_for_each (task, &user->tasks)
		user_settle_task(user, *task);
	user->settle_at = tally_clock_now();
	user->settle_at += TALLY_MAX((user->settle_at - now) * SETTLED_SHARE, (uint64_t)SETTLED_NS);
}
