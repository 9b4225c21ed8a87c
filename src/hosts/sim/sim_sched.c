/* SPDX-License-Identifier: BSD-2-Clause */
/* The scheduler. Among the tasks that are waiting for a CPU, the one with the lowest priority
 * number runs. Tasks with equal priority take turns. A task stays on its CPU until it is
 * migrated. */
#include "hosts/sim/sim_entry.h"
#include "hosts/sim/hardware.h"
#include "hosts/sim/schedule.h"
#include "hosts/sim/sim_private.h"

static struct tally_sim_task *queue_first(const struct sim_cpu *cpu)
{
	return tally_list_empty(&cpu->queue)
		       ? NULL
		       : tally_container_of(cpu->queue.next, struct tally_sim_task, queued);
}

/* Queue a task after the tasks with equal priority, or before them if `first` is set. */
static void queue_add(struct tally_sim *sim, struct tally_sim_task *task, bool first)
{
	struct sim_cpu *cpu = &sim->cpus[task->cpu];
	struct tally_list *at = &cpu->queue;

	task->state = SIM_READY;
	tally_list_for_each (link, &cpu->queue) {
		struct tally_sim_task *other =
			tally_container_of(link, struct tally_sim_task, queued);

		if (other->priority > task->priority ||
		    (first && other->priority == task->priority)) {
			at = link;
			break;
		}
	}
	tally_list_insert(at, &task->queued);
}

static struct tally_core_task *perf_of(struct tally_sim_task *task)
{
	return task->is_idle ? NULL : &task->perf;
}

/* Add the context switch and migration, which the core should also count, to the exact counts. */
static void count_switch(struct tally_sim *sim, uint32_t cpu, struct tally_sim_task *prev,
			 struct tally_sim_task *next)
{
	sim_count(sim, prev, cpu, prev->is_idle ? SIM_IDLE : SIM_KERNEL,
		  SIM_SW + PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	if (next->has_run && next->last_cpu != cpu)
		sim_count(sim, next, cpu, SIM_KERNEL, SIM_SW + PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	next->has_run = true;
	next->last_cpu = cpu;
}

void sim_switch(struct tally_sim *sim, uint32_t number, struct tally_sim_task *next, bool preempt)
{
	struct sim_cpu *cpu = &sim->cpus[number];
	struct tally_sim_task *prev = cpu->current;
	uint32_t before = sim->cpu;

	sim_update_counts(sim, cpu);
	count_switch(sim, number, prev, next);
	sim_hook_begin(sim, number);
	tally_core_switch(sim->core, perf_of(prev), perf_of(next), preempt);
	sim_update_counts(sim, cpu);
	cpu->current = next;
	cpu->overflow_known = false;
	cpu->quantum_at = sim->now + sim->config.quantum_ns;
	sim_hook_end(sim);
	sim->cpu = before;
}

/* Switch to the first waiting task, or to the idle task. */
static void switch_to_next(struct tally_sim *sim, uint32_t number, bool preempt)
{
	struct sim_cpu *cpu = &sim->cpus[number];
	struct tally_sim_task *next = queue_first(cpu);

	if (next) {
		tally_list_remove(&next->queued);
		next->state = SIM_RUNNING;
	}
	sim_switch(sim, number, next ? next : &cpu->idle, preempt);
}

/* Preempt the current task if a waiting task has precedence. */
static void preempt_current(struct tally_sim *sim, uint32_t number)
{
	struct sim_cpu *cpu = &sim->cpus[number];
	struct tally_sim_task *next = queue_first(cpu), *current = cpu->current;
	bool yielded = cpu->yielded;

	cpu->yielded = false;
	if (!next || next->priority > current->priority ||
	    (next->priority == current->priority && !yielded))
		return;
	/* Dequeue the next task before queueing the current task, which might be put first. */
	tally_list_remove(&next->queued);
	next->state = SIM_RUNNING;
	queue_add(sim, current, !yielded);
	sim_switch(sim, number, next, !yielded);
}

void sim_schedule(struct tally_sim *sim, uint32_t number)
{
	struct sim_cpu *cpu = &sim->cpus[number];
	struct tally_sim_task *current = cpu->current;

	if (cpu->busy)
		return;
	if (current->is_idle) {
		if (queue_first(cpu))
			switch_to_next(sim, number, false);
	} else if (current->state != SIM_RUNNING) {
		switch_to_next(sim, number, false);
	} else if (current->cpu != number) {
		switch_to_next(sim, number, true);
		queue_add(sim, current, false);
		sim_schedule(sim, current->cpu);
	} else {
		preempt_current(sim, number);
	}
}

void sim_ready(struct tally_sim *sim, struct tally_sim_task *task)
{
	queue_add(sim, task, false);
	sim_schedule(sim, task->cpu);
}

void sim_sleep(struct tally_sim *sim, struct tally_sim_task *task, uint64_t until)
{
	tally_list_remove(&task->queued);
	task->state = SIM_SLEEPING;
	task->wake_at = until;
	tally_list_insert(&sim->sleepers, &task->queued);
}

void sim_wake(struct tally_sim *sim, struct tally_sim_task *task)
{
	if (task->state != SIM_SLEEPING)
		return;
	task->wake_at = SIM_NEVER;
	if (!task->next)
		return;
	tally_list_remove(&task->queued);
	sim_ready(sim, task);
}

void sim_migrate(struct tally_sim *sim, struct tally_sim_task *task, uint32_t number)
{
	uint32_t from = task->cpu;

	if (number >= sim->config.nr_cpus || !sim->cpus[number].online)
		return;
	task->cpu = number;
	if (task->state == SIM_READY) {
		tally_list_remove(&task->queued);
		sim_ready(sim, task);
	} else if (task->state == SIM_RUNNING) {
		sim_schedule(sim, from);
	}
}

void sim_set_priority(struct tally_sim *sim, struct tally_sim_task *task, int32_t priority)
{
	task->priority = priority;
	if (task->state == SIM_READY) {
		tally_list_remove(&task->queued);
		sim_ready(sim, task);
	} else if (task->state == SIM_RUNNING) {
		sim_schedule(sim, task->cpu);
	}
}

/* End the current task's time slice, and switch to a task with equal priority. */
void sim_quantum_end(struct tally_sim *sim, uint32_t number)
{
	struct sim_cpu *cpu = &sim->cpus[number];
	struct tally_sim_task *next = queue_first(cpu), *current = cpu->current;

	cpu->quantum_at = sim->now + sim->config.quantum_ns;
	if (current->is_idle || !next || next->priority > current->priority)
		return;
	tally_list_remove(&next->queued);
	next->state = SIM_RUNNING;
	queue_add(sim, current, false);
	sim_switch(sim, number, next, true);
}
