/* SPDX-License-Identifier: BSD-2-Clause */
/* Call the core's hooks for events on the host. */
#include <stdlib.h>

#include "core/minimal/mini.h"

static const struct tally_core_sample_data in_user = {.ip = 0x1000, .mode = PERF_RECORD_MISC_USER};

static void hook_begin(struct mini *mini)
{
	mini->off++;
}

static void hook_end(struct mini *mini)
{
	if (!mini->off)
		mini_broken(mini, "a hook leaves interrupts on");
	mini->off--;
	if (!mini->off && !mini->hold_deferred)
		mini_deferred(mini);
}

void mini_deferred(struct mini *mini)
{
	struct mini_cpu *cpu = &mini->cpus[mini->cpu];

	while (cpu->deferred) {
		cpu->deferred = false;
		mini->off++;
		tally_core_deferred(mini->core);
		mini->off--;
	}
}

/* ---- tasks ------------------------------------------------------------------------------ */

static struct mini_task *make_task(struct mini *mini, const struct mini_task *process)
{
	struct mini_task *task;
	int slot = 0;

	while (slot < MINI_TASKS && mini->tasks[slot])
		slot++;
	task = slot < MINI_TASKS ? calloc(1, sizeof(*task)) : NULL;
	if (!task)
		return NULL;
	mini->last_tid++;
	tally_core_task_init(&task->perf, process ? process->perf.pid : mini->last_tid,
			     mini->last_tid);
	task->perf.user = &mini->users[0];
	task->perf.space = process ? process->perf.space : &mini->spaces[slot];
	task->cpu = -1;
	mini->tasks[slot] = task;
	return task;
}

struct mini_task *mini_task_new(struct mini *mini)
{
	return make_task(mini, NULL);
}

struct mini_task *mini_fork(struct mini *mini, struct mini_task *task, bool process)
{
	struct mini_task *child = make_task(mini, process ? NULL : task);
	struct mini_call call;

	if (!child)
		return NULL;
	child->hidden = true;
	mini_call_begin(mini, &call, task, -1);
	tally_core_fork(mini->core, &task->perf, &child->perf, process);
	mini_call_end(mini, "fork");
	child->hidden = false;
	return child;
}

void mini_switch(struct mini *mini, struct mini_task *next)
{
	struct mini_cpu *cpu = &mini->cpus[mini->cpu];
	struct mini_task *prev = cpu->task;

	hook_begin(mini);
	if (prev)
		prev->cpu = -1;
	if (next)
		next->cpu = (int32_t)mini->cpu;
	cpu->task = next;
	tally_core_switch(mini->core, prev ? &prev->perf : NULL, next ? &next->perf : NULL, false);
	hook_end(mini);
}

static void remove_task(struct mini *mini, struct mini_task *task)
{
	for (int i = 0; i < MINI_TASKS; i++) {
		if (mini->tasks[i] == task)
			mini->tasks[i] = NULL;
	}
	task->gone = true;
	if (task->refs)
		mini->nr_gone++;
	else
		free(task);
}

void mini_exit(struct mini *mini, struct mini_task *task)
{
	uint32_t was = mini->cpu;
	struct mini_call call;

	if (task->hidden || mini_in_call(mini, task))
		return;
	if (task->cpu >= 0)
		mini_on(mini, (uint32_t)task->cpu);
	mini_call_begin(mini, &call, task, -1);
	tally_core_exit(mini->core, &task->perf);
	mini_call_end(mini, "exit");
	if (task->cpu >= 0) {
		mini_on(mini, (uint32_t)task->cpu);
		mini_switch(mini, NULL);
	}
	remove_task(mini, task);
	mini_on(mini, mini->cpus[was].online ? was : mini->cpu);
}

void mini_exec(struct mini *mini, struct mini_task *task, bool privileged)
{
	struct mini_call call;

	mini_call_begin(mini, &call, task, -1);
	tally_core_exec(mini->core, &task->perf, privileged);
	mini_call_end(mini, "exec");
}

/* ---- time and events --------------------------------------------------------------------- */

void mini_tick(struct mini *mini)
{
	hook_begin(mini);
	tally_core_tick(mini->core, &in_user);
	hook_end(mini);
}

void mini_software(struct mini *mini, uint32_t id, uint64_t nr)
{
	hook_begin(mini);
	tally_core_software(mini->core, id, nr, &in_user);
	hook_end(mini);
}

static void fire_timer(struct mini *mini)
{
	struct mini_cpu *cpu = &mini->cpus[mini->cpu];

	if (!cpu->online || cpu->deadline > mini->now)
		return;
	cpu->deadline = UINT64_MAX;
	hook_begin(mini);
	tally_core_timer(mini->core, &in_user);
	hook_end(mini);
}

void mini_advance(struct mini *mini, uint64_t ns)
{
	uint32_t was = mini->cpu;

	mini->now += ns;
	for (uint32_t i = 0; i < mini->nr_cpus; i++) {
		mini_on(mini, i);
		fire_timer(mini);
	}
	mini_on(mini, was);
}

/* ---- CPUs ------------------------------------------------------------------------------- */

void mini_online(struct mini *mini, uint32_t cpu)
{
	mini->cpus[cpu].online = true;
	mini->cpus[cpu].deadline = UINT64_MAX;
	tally_core_cpu_online(mini->core, cpu);
}

void mini_offline(struct mini *mini, uint32_t cpu)
{
	uint32_t was = mini->cpu;

	mini_on(mini, cpu);
	mini_switch(mini, NULL);
	mini_on(mini, was);
	tally_core_cpu_offline(mini->core, cpu);
	mini->cpus[cpu].online = false;
	if (mini->cpus[cpu].deferred && !mini->hold_deferred)
		mini_broken(mini, "work is put off on CPU %u, which is off line", cpu);
	for (int i = 0; i < MINI_ALL_COUNTERS; i++) {
		if (mini->cpus[cpu].counters[i].owner)
			mini_broken(mini, "CPU %u goes off line with an event on a counter", cpu);
	}
}
