/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks: events on the host that are reported to the core. */
#include <stdlib.h>

#include "core/least/least.h"

static const struct tally_core_sample_data in_user = {.ip = 0x1000, .mode = PERF_RECORD_MISC_USER};

static void hook_begin(struct least *least)
{
	least->off++;
}

static void hook_end(struct least *least)
{
	if (!least->off)
		least_broken(least, "a hook leaves interrupts on");
	least->off--;
	if (!least->off && !least->hold_deferred)
		least_deferred(least);
}

void least_deferred(struct least *least)
{
	struct least_cpu *cpu = &least->cpus[least->cpu];

	while (cpu->deferred) {
		cpu->deferred = false;
		least->off++;
		tally_core_deferred(least->core);
		least->off--;
	}
}

/* ---- tasks ------------------------------------------------------------------------------ */

static struct least_task *make_task(struct least *least, const struct least_task *process)
{
	struct least_task *task;
	int slot = 0;

	while (slot < LEAST_TASKS && least->tasks[slot])
		slot++;
	task = slot < LEAST_TASKS ? calloc(1, sizeof(*task)) : NULL;
	if (!task)
		return NULL;
	least->last_tid++;
	tally_core_task_init(&task->perf, process ? process->perf.pid : least->last_tid,
			     least->last_tid);
	task->perf.user = &least->users[0];
	task->perf.space = process ? process->perf.space : &least->spaces[slot];
	task->cpu = -1;
	least->tasks[slot] = task;
	return task;
}

struct least_task *least_task_new(struct least *least)
{
	return make_task(least, NULL);
}

struct least_task *least_fork(struct least *least, struct least_task *task, bool process)
{
	struct least_task *child = make_task(least, process ? NULL : task);
	struct least_call call;

	if (!child)
		return NULL;
	child->hidden = true;
	least_call_begin(least, &call, task, -1);
	tally_core_fork(least->core, &task->perf, &child->perf, process);
	least_call_end(least, "fork");
	child->hidden = false;
	return child;
}

void least_switch(struct least *least, struct least_task *next)
{
	struct least_cpu *cpu = &least->cpus[least->cpu];
	struct least_task *prev = cpu->task;

	hook_begin(least);
	if (prev)
		prev->cpu = -1;
	if (next)
		next->cpu = (int32_t)least->cpu;
	cpu->task = next;
	tally_core_switch(least->core, prev ? &prev->perf : NULL, next ? &next->perf : NULL, false);
	hook_end(least);
}

static void remove_task(struct least *least, struct least_task *task)
{
	for (int i = 0; i < LEAST_TASKS; i++) {
		if (least->tasks[i] == task)
			least->tasks[i] = NULL;
	}
	task->gone = true;
	if (task->refs)
		least->nr_gone++;
	else
		free(task);
}

void least_exit(struct least *least, struct least_task *task)
{
	uint32_t was = least->cpu;
	struct least_call call;

	if (task->hidden || least_in_call(least, task))
		return;
	if (task->cpu >= 0)
		least_on(least, (uint32_t)task->cpu);
	least_call_begin(least, &call, task, -1);
	tally_core_exit(least->core, &task->perf);
	least_call_end(least, "exit");
	if (task->cpu >= 0) {
		least_on(least, (uint32_t)task->cpu);
		least_switch(least, NULL);
	}
	remove_task(least, task);
	least_on(least, least->cpus[was].online ? was : least->cpu);
}

void least_exec(struct least *least, struct least_task *task, bool privileged)
{
	struct least_call call;

	least_call_begin(least, &call, task, -1);
	tally_core_exec(least->core, &task->perf, privileged);
	least_call_end(least, "exec");
}

/* ---- time and events --------------------------------------------------------------------- */

void least_tick(struct least *least)
{
	hook_begin(least);
	tally_core_tick(least->core, &in_user);
	hook_end(least);
}

void least_software(struct least *least, uint32_t id, uint64_t nr)
{
	hook_begin(least);
	tally_core_software(least->core, id, nr, &in_user);
	hook_end(least);
}

static void fire_timer(struct least *least)
{
	struct least_cpu *cpu = &least->cpus[least->cpu];

	if (!cpu->online || cpu->deadline > least->now)
		return;
	cpu->deadline = UINT64_MAX;
	hook_begin(least);
	tally_core_timer(least->core, &in_user);
	hook_end(least);
}

void least_advance(struct least *least, uint64_t ns)
{
	uint32_t was = least->cpu;

	least->now += ns;
	for (uint32_t i = 0; i < least->nr_cpus; i++) {
		least_on(least, i);
		fire_timer(least);
	}
	least_on(least, was);
}

/* ---- CPUs ------------------------------------------------------------------------------- */

void least_online(struct least *least, uint32_t cpu)
{
	least->cpus[cpu].online = true;
	least->cpus[cpu].deadline = UINT64_MAX;
	tally_core_cpu_online(least->core, cpu);
}

void least_offline(struct least *least, uint32_t cpu)
{
	uint32_t was = least->cpu;

	least_on(least, cpu);
	least_switch(least, NULL);
	least_on(least, was);
	tally_core_cpu_offline(least->core, cpu);
	least->cpus[cpu].online = false;
	if (least->cpus[cpu].deferred && !least->hold_deferred)
		least_broken(least, "work is put off on CPU %u, which is off line", cpu);
	for (int i = 0; i < LEAST_ALL_COUNTERS; i++) {
		if (least->cpus[cpu].counters[i].owner)
			least_broken(least, "CPU %u goes off line with an event on a counter", cpu);
	}
}
