/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls in progress, and other calls that interrupt them. The objects that a call is using stay
 * valid until the call returns, as they would with a kernel's reference counts. */
#include <string.h>

#include "core/minimal/mini.h"

enum { MAX_DEPTH = 3 };

void mini_call_begin(struct mini *mini, struct mini_call *call, const struct mini_task *current,
		     int fd)
{
	*call = (struct mini_call){
		.outer = mini->call, .current = current, .nr_held = mini->nr_held};
	mini->call = call;
	mini->nr_fetches = mini->nr_relaxed = 0;
	mini->why = (struct tally_core_refusal){0};
	if (fd >= 0)
		mini_call_borrow(mini, fd);
}

void mini_call_borrow(struct mini *mini, int fd)
{
	struct mini_call *call = mini->call;

	if (!call)
		return;
	if (call->nr_files == MINI_BORROWED)
		mini_broken(mini, "one call looks up %d descriptors", MINI_BORROWED);
	call->files[call->nr_files++] = fd;
	mini->files[fd].users++;
}

/* Check that no task is referenced when the last call in progress returns. */
static void check_tasks(struct mini *mini, const char *name)
{
	if (mini->nr_gone)
		mini_broken(mini, "%s keeps a task that is gone", name);
	for (int i = 0; i < MINI_TASKS; i++) {
		if (mini->tasks[i] && mini->tasks[i]->refs)
			mini_broken(mini, "%s keeps a task", name);
	}
}

void mini_call_end(struct mini *mini, const char *name)
{
	struct mini_call *call = mini->call;

	if (mini->off)
		mini_broken(mini, "%s leaves interrupts off", name);
	if (mini->nr_held != call->nr_held)
		mini_broken(mini, "%s leaves a lock locked", name);
	mini->call = call->outer;
	if (!call->outer)
		check_tasks(mini, name);
	while (call->nr_files) {
		int fd = call->files[--call->nr_files];

		if (!--mini->files[fd].users && mini->files[fd].closing)
			mini_close(mini, fd);
	}
}

bool mini_in_call(const struct mini *mini, const struct mini_task *task)
{
	for (const struct mini_call *call = mini->call; call; call = call->outer) {
		if (call->current == task)
			return true;
	}
	return false;
}

static uint32_t depth_of(const struct mini *mini)
{
	uint32_t depth = 0;

	for (const struct mini_call *call = mini->call; call; call = call->outer)
		depth++;
	return depth;
}

static bool holds_lock(const struct mini *mini)
{
	for (uint32_t i = 0; i < mini->nr_held; i++) {
		if (mini->held[i].lock)
			return true;
	}
	return false;
}

/* Continue the preempted call on the CPU where its task is running, or else on `cpu` or the next
 * online CPU. */
static void resume(struct mini *mini, struct mini_task *task, uint32_t cpu)
{
	while (!mini->cpus[cpu].online)
		cpu = (cpu + 1) % mini->nr_cpus;
	if (task && task->cpu >= 0)
		cpu = (uint32_t)task->cpu;
	mini_on(mini, cpu);
	if (task && task->cpu < 0)
		mini_switch(mini, task);
}

/* Host state that is restored when a preempted call continues. */
struct preempted {
	struct mini_task *task;
	uint32_t cpu, held_base, nr_fetches, nr_relaxed;
	struct mini_fetch fetches[MINI_FETCHES];
	void *user;
	size_t user_len;
};

static void save(const struct mini *mini, struct preempted *call)
{
	struct mini_task *task = mini->cpus[mini->cpu].task;

	*call = (struct preempted){.task = mini_in_call(mini, task) ? task : NULL,
				   .cpu = mini->cpu,
				   .held_base = mini->held_base,
				   .nr_fetches = mini->nr_fetches,
				   .nr_relaxed = mini->nr_relaxed,
				   .user = mini->user,
				   .user_len = mini->user_len};
	memcpy(call->fetches, mini->fetches, sizeof(call->fetches));
}

static void restore(struct mini *mini, const struct preempted *call)
{
	resume(mini, call->task, call->cpu);
	mini->held_base = call->held_base;
	mini->nr_fetches = call->nr_fetches;
	mini->nr_relaxed = call->nr_relaxed;
	mini->user = call->user;
	mini->user_len = call->user_len;
	memcpy(mini->fetches, call->fetches, sizeof(call->fetches));
}

static bool overlap(struct mini *mini, void (*fn)(void))
{
	struct preempted call;

	if (mini->off || mini->nmi || depth_of(mini) >= MAX_DEPTH)
		return false;
	save(mini, &call);
	mini->inside = false;
	mini->held_base = mini->nr_held;
	fn();
	restore(mini, &call);
	mini->inside = true;
	return true;
}

bool mini_overlap(struct mini *mini, void (*fn)(void))
{
	return !holds_lock(mini) && overlap(mini, fn);
}

bool mini_overlap_locked(struct mini *mini, void (*fn)(void))
{
	return overlap(mini, fn);
}
