/* SPDX-License-Identifier: BSD-2-Clause */
/* Context switches. */
#include "core/context.h"
#include "core/sched.h"
#include "core/sideband.h"
#include "core/software.h"

/*
 * Clones of a context hold the same events. Each clone counts for its own task, and all add to the
 * same totals. When a CPU switches between the tasks of two clones, the totals do not depend on
 * which clone counts for which task. So the tasks swap their contexts, and nothing is taken off the
 * PMU or put on it.
 *
 * A swap does make a difference to readers of a single task's counts (inherit_stat), to the task
 * that a trap is sent to (sigtrap), and to code that is walking a context (pins). The original
 * context is never swapped: opened events stay with the task they were opened on.
 */
static bool contexts_alike(const struct tally_core_context *a, const struct tally_core_context *b)
{
	if (a->pins || b->pins || a->nr_bound || b->nr_bound || a->orphan || b->orphan)
		return false;
	return a->origin && a->origin == b->origin && a->origin_generation == b->origin_generation;
}

static bool swap_contexts(struct tally_core_cpu *cpu, struct tally_core_task *prev,
			  struct tally_core_task *next)
{
	struct tally_core_context *on = cpu->of_task, *off = tally_load_acquire(&next->context);
	const struct tally_core *core = cpu->core;
	bool alike;

	if (!off)
		return false;

	/* `on` belongs to this CPU; other CPUs take its lock only to inspect it. */
	tally_spin_lock(&on->lock, core->ops, core->host);
	tally_spin_lock(&off->lock, core->ops, core->host);
	alike = contexts_alike(on, off);
	if (alike) {
		on->task = next;
		off->task = prev;
		tally_store_release(&prev->context, off);
		tally_store_release(&next->context, on);
	}
	tally_spin_unlock(&off->lock);
	tally_spin_unlock(&on->lock);
	return alike;
}

static void change_contexts(struct tally_core_cpu *cpu, struct tally_core_task *next)
{
	struct tally_core_context *context = next ? tally_load_acquire(&next->context) : NULL;
	uint64_t now = tally_clock(cpu->core);

	if (cpu->of_task)
		tally_sched_context_out(cpu, cpu->of_task, now);
	if (context)
		tally_sched_context_in(cpu, context, now);
	else
		tally_sched_fill(cpu, now);
}

/* Record the CPU that `next` runs on. Return true if the task has migrated from another CPU. */
static bool note_cpu(struct tally_core_cpu *cpu, struct tally_core_task *next)
{
	uint32_t last, epoch = tally_load_relaxed(&cpu->core->epoch);
	bool known;

	if (!next)
		return false;
	last = next->last_cpu;
	known = last != UINT32_MAX && next->epoch == epoch;
	next->last_cpu = cpu->number;
	next->epoch = epoch;
	return known && last != cpu->number;
}

static void switch_counted(struct tally_core_cpu *cpu, struct tally_core_task *prev,
			   struct tally_core_task *next, bool preempt)
{
	struct tally_core_task *was = cpu->task;
	bool migrated = note_cpu(cpu, next);
	bool swapped = false;

	/* Use the task that was last reported as running, even if the scheduler disagrees. */
	prev = was ? was : prev;

	tally_software_event(cpu, PERF_COUNT_SW_CONTEXT_SWITCHES);
	tally_sideband_switch(cpu, prev, next, false, preempt);
	if (TALLY_CORE_INHERITANCE && cpu->of_task && was && next && was != next)
		swapped = swap_contexts(cpu, was, next);
	if (!swapped)
		change_contexts(cpu, next);
	cpu->task = next;
	if (migrated)
		tally_software_event(cpu, PERF_COUNT_SW_CPU_MIGRATIONS);
	tally_sideband_switch(cpu, next, prev, true, preempt);
}

/* Return true if `next` is already the current task: the switch was reported before, or is from a
 * task to itself. A new task at the same address has a different context. */
static bool is_here(const struct tally_core_cpu *cpu, struct tally_core_task *next)
{
	return next == cpu->task &&
	       cpu->of_task == (next ? tally_load_acquire(&next->context) : NULL);
}

void tally_core_watched_switch(struct tally_core *core, struct tally_core_task *prev,
			       struct tally_core_task *next, bool preempt)
{
	struct tally_core_cpu *cpu = tally_this_cpu(core);

	if (is_here(cpu, next))
		return;
	if (!cpu->of_task && !cpu->own.nr_events && !(next && tally_load_acquire(&next->context))) {
		note_cpu(cpu, next);
		cpu->task = next;
		return;
	}
	switch_counted(cpu, prev, next, preempt);
}
