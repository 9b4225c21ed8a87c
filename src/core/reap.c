/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * End tasks in code that cannot sleep: one task ends another in a critical section, possibly while
 * the other task is still running on another CPU. The ended task leaves an orphan: a context
 * without a task, which is no longer swapped at switches. The orphan is taken off its CPU at the
 * next switch there, or when it is reaped.
 */
#include "core/context.h"
#include "core/event.h"
#include "core/family.h"
#include "core/inheritance.h"
#include "core/sideband.h"

/* ---- detaching the context -------------------------------------------------------------- */

/* Detach the task's context. If a switch swaps it for another context in the meantime, detach that
 * one instead. Called with the registry lock held, because a context is freed only by code that has
 * taken this lock. */
static struct tally_core_context *context_take(struct tally_core *core,
					       struct tally_core_task *task)
{
	struct tally_core_context *context;
	bool taken = false;

	while (!taken) {
		context = tally_load_acquire(&task->context);
		if (!context)
			return NULL;
		tally_spin_lock(&context->lock, core->ops, core->host);
		taken = tally_load_relaxed(&context->task) == task;
		/* Clear context->task, as the host may free the task when tally_core_end()
		 * returns. */
		if (taken) {
			context->orphan = true;
			tally_store_relaxed(&context->task, NULL);
		}
		tally_spin_unlock(&context->lock);
	}
	return context;
}

static struct tally_core_task_ids ids_of(const struct tally_core_task *task)
{
	return (struct tally_core_task_ids){
		.pid = task->pid, .tid = task->tid, .ppid = task->ppid, .ptid = task->ptid};
}

#if TALLY_CORE_USERS

/* For each viewer, save the task's IDs as the viewer sees them. Only the host knows these IDs, and
 * only while the task exists. Called with the registry lock held. */
static void save_viewer_ids(struct tally_core *core, struct tally_core_context *context,
			    const struct tally_core_task *task)
{
	for (int i = 0; i < TALLY_CORE_VIEWERS; i++) {
		struct tally_core_task_ids *seen = &context->seen[i], ids = ids_of(task);

		if (!seen->nr)
			continue;
		core->ops->ids(core->host, seen->viewer, task, false, &ids.pid, &ids.tid);
		core->ops->ids(core->host, seen->viewer, task, true, &ids.ppid, &ids.ptid);
		ids.viewer = seen->viewer;
		ids.nr = seen->nr;
		*seen = ids;
	}
}

#else

static void save_viewer_ids(struct tally_core *core, struct tally_core_context *context,
			    const struct tally_core_task *task)
{
}

#endif

/* Called with the registry lock held. */
static void orphan_add(struct tally_core *core, struct tally_core_context *context,
		       const struct tally_core_task *task)
{
	context->ids = ids_of(task);
	save_viewer_ids(core, context, task);
	context->orphan_next = core->orphans;
	core->orphans = context;
}

bool tally_core_end(struct tally_core *core, struct tally_core_task *task)
{
	uintptr_t flags = tally_registry_lock(core);
	bool again = tally_load_relaxed(&task->exited);
	struct tally_core_context *context;

	tally_family_close(core, task);
	context = context_take(core, task);
	tally_family_detach(core, task);
	if (context)
		orphan_add(core, context, task);
	tally_event_disown_all(task);
	tally_registry_unlock(core, flags);
	/* The task's own events report the exit when they are reaped, where sleeping is
	 * possible. */
	if (context || !again)
		tally_inherit_emit_exit(core, task);
	return context;
}

/* ---- reaping ---------------------------------------------------------------------------- */

static void no_op(void *arg)
{
}

/* Wait for switches that may have found a context before it was detached from its task. */
static void wait_for_switches(struct tally_core *core)
{
	for (uint32_t i = 0; i < core->nr_cpus; i++) {
		if (tally_load_relaxed(&core->cpus[i].online))
			tally_cpu_call(core, i, no_op, NULL);
	}
}

static struct tally_core_context *orphans_take(struct tally_core *core)
{
	uintptr_t flags = tally_registry_lock(core);
	struct tally_core_context *orphans = core->orphans;

	core->orphans = NULL;
	tally_registry_unlock(core, flags);
	return orphans;
}

void tally_core_reap(struct tally_core *core)
{
	struct tally_core_context *context = orphans_take(core);

	if (context)
		wait_for_switches(core);
	while (context) {
		struct tally_core_context *next = context->orphan_next;
		struct tally_core_task task = {.pid = context->ids.pid,
					       .tid = context->ids.tid,
					       .ppid = context->ids.ppid,
					       .ptid = context->ids.ptid,
					       .left_by = context};

		tally_family_get(context->family);
		tally_family_lock(context->family);
		tally_inherit_end(context, &task, true);
		context = next;
	}
}
