/* SPDX-License-Identifier: BSD-2-Clause */
/* fork, exec and exit. */
#include "core/context.h"
#include "core/control.h"
#include "core/event.h"
#include "core/read.h"
#include "core/sched.h"
#include "core/sideband.h"
#include "core/state.h"

static struct tally_core_event *event_at(struct tally_list *link)
{
	return tally_container_of(link, struct tally_core_event, all);
}

/* ---- fork ------------------------------------------------------------------------------- */

static bool is_inherited(const struct tally_core_event *event, bool process)
{
	return event->attr.inherit && !(event->attr.inherit_thread && process);
}

static int inherit_event(struct tally_core_event *event, struct tally_core_context *context,
			 struct tally_core_event *leader, struct tally_core_event **ret_child)
{
	struct tally_core_event *root = tally_event_root(event), *child;
	int ret = tally_event_new(event->core, &event->attr, event->cpu, root, &child);

	if (ret)
		return ret;
	tally_event_install(child, context, leader,
			    tally_load_relaxed(&event->state) >= TALLY_STATE_INACTIVE
				    ? TALLY_STATE_INACTIVE
				    : TALLY_STATE_OFF);
	tally_list_insert(&root->children, &child->child);
	tally_store_relaxed(&root->nr_children, root->nr_children + 1);
	*ret_child = child;
	return 0;
}

static int inherit_group(struct tally_core_event *leader, struct tally_core_context *context)
{
	struct tally_core_event *of_child = NULL, *child;

	tally_group_for_each (event, leader) {
		int ret = inherit_event(event, context, of_child, &child);

		if (ret)
			return ret;
		if (!of_child)
			of_child = child;
	}
	return 0;
}

static int inherit_list(struct tally_list *groups, struct tally_core_context *context, bool process,
			bool *all)
{
	tally_list_for_each (link, groups) {
		struct tally_core_event *leader =
			tally_container_of(link, struct tally_core_event, group);
		int ret;

		if (!is_inherited(leader, process)) {
			*all = false;
			continue;
		}
		ret = inherit_group(leader, context);
		if (ret)
			return ret;
	}
	return 0;
}

static void discard_children(struct tally_core_context *context)
{
	while (!tally_list_empty(&context->events))
		tally_event_retire(event_at(context->events.next));
}

/* A child that got all its parent's events can stand in for it: switch.c. */
static void mark_clone(const struct tally_core_context *of, struct tally_core_context *clone)
{
	clone->origin = of->origin ? of->origin : of->id;
	clone->origin_generation = of->origin ? of->origin_generation : of->generation;
}

static bool anything_inherited(const struct tally_core_context *context, bool process)
{
	tally_list_for_each (link, &context->events) {
		if (is_inherited(tally_container_of(link, struct tally_core_event, all), process))
			return true;
	}
	return false;
}

static int inherit_context(struct tally_core *core, struct tally_core_context *from,
			   struct tally_core_task *child, bool process)
{
	struct tally_core_context *context;
	bool all = true;
	int ret;

	if (!anything_inherited(from, process))
		return 0;
	context = tally_core_alloc(core, sizeof(*context));
	if (!context)
		return -ENOMEM;
	tally_context_init(context, core);
	context->task = child;
	ret = inherit_list(&from->pinned, context, process, &all);
	if (!ret)
		ret = inherit_list(&from->flexible, context, process, &all);
	if (ret) {
		discard_children(context);
		tally_context_put(context);
		return ret;
	}
	if (all)
		mark_clone(from, context);
	tally_store_release(&child->context, context);
	return 0;
}

static void emit_fork(struct tally_core *core, struct tally_core_task *current,
		      struct tally_core_task *child)
{
	uintptr_t flags = core->ops->irq_save(core->host);
	struct tally_core_cpu *cpu = tally_this_cpu(core);

	tally_sideband_task(cpu, cpu->of_task, child, true);
	core->ops->irq_restore(core->host, flags);
}

int tally_core_fork(struct tally_core *core, struct tally_core_task *current,
		    struct tally_core_task *child, bool process)
{
	struct tally_core_context *from;
	int ret = 0;

	child->ppid = current->pid;
	child->ptid = current->tid;
	core->ops->config_lock(core->host);
	from = tally_context_pin_task(core, current);
	if (from) {
		ret = inherit_context(core, from, child, process);
		tally_context_unpin(from);
	}
	core->ops->config_unlock(core->host);
	if (!ret)
		emit_fork(core, current, child);
	return ret;
}

/* ---- exit ------------------------------------------------------------------------------- */

/* Off the CPU for good; then the last that its events hear is that the task is gone. */
static void leave_cpu(struct tally_core *core, struct tally_core_task *task,
		      struct tally_core_context *context, bool exited)
{
	uintptr_t flags = core->ops->irq_save(core->host);
	struct tally_core_cpu *cpu = tally_this_cpu(core);

	if (context && cpu->of_task == context) {
		tally_sched_context_out(cpu, context, tally_clock(core));
		tally_sched_fill(cpu, tally_clock(core));
	}
	if (exited)
		tally_sideband_task(cpu, context, task, false);
	core->ops->irq_restore(core->host, flags);
}

static void emit_read(struct tally_core *core, struct tally_core_task *task,
		      struct tally_core_event *event)
{
	uintptr_t flags = core->ops->irq_save(core->host);

	if (event->attr.inherit_stat)
		tally_read_record(event, task);
	core->ops->irq_restore(core->host, flags);
}

/* Its own events stay readable, with their groups where these end as a whole; those it inherited
 * add to their parents' sums. */
static void end_event(struct tally_core *core, struct tally_core_task *task,
		      struct tally_core_event *event, bool dissolve)
{
	if (!event->parent) {
		tally_event_uninstall(event, TALLY_STATE_EXIT, dissolve);
		return;
	}
	emit_read(core, task, event);
	tally_event_retire(event);
}

/* Take the task's context from it and end what is in it. */
static void end_context(struct tally_core *core, struct tally_core_task *task, bool exited)
{
	struct tally_core_context *context = tally_context_pin_task(core, task);

	leave_cpu(core, task, context, exited);
	if (!context)
		return;
	tally_store_release(&task->context, NULL);
	while (!tally_list_empty(&context->events))
		end_event(core, task, event_at(context->events.next), false);
	context->task = NULL;
	tally_context_put(context);
}

static void disown(struct tally_core_task *task)
{
	while (task->owned) {
		struct tally_core_event *event = task->owned;

		task->owned = event->owned_next;
		event->owner = NULL;
	}
}

void tally_core_exit(struct tally_core *core, struct tally_core_task *task)
{
	core->ops->config_lock(core->host);
	task->exited = true;
	end_context(core, task, true);
	disown(task);
	core->ops->config_unlock(core->host);
}

/* ---- exec ------------------------------------------------------------------------------- */

static void enable_on_exec(struct tally_core_cpu *cpu, struct tally_core_context *context,
			   void *arg)
{
	tally_list_for_each (link, &context->events) {
		struct tally_core_event *event = event_at(link);

		if (!event->attr.enable_on_exec)
			continue;
		event->attr.enable_on_exec = 0;
		tally_context_diverge(context);
		tally_control_enable_here(cpu, event);
	}
}

static struct tally_core_event *first_to_remove(struct tally_core_context *context)
{
	tally_list_for_each (link, &context->events) {
		if (event_at(link)->attr.remove_on_exec)
			return event_at(link);
	}
	return NULL;
}

void tally_core_exec(struct tally_core *core, struct tally_core_task *task, bool privileged)
{
	struct tally_core_context *context;
	struct tally_core_event *event;

	core->ops->config_lock(core->host);
	if (privileged)
		end_context(core, task, false);
	context = tally_context_pin_task(core, task);
	if (context) {
		tally_context_run(context, enable_on_exec, NULL);
		while ((event = first_to_remove(context)))
			end_event(core, task, event, true);
		tally_context_unpin(context);
	}
	core->ops->config_unlock(core->host);
}
