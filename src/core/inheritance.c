/* SPDX-License-Identifier: BSD-2-Clause */
/* Inherit events at fork, and handle exec and exit. */
#include "core/buffer.h"
#include "core/context.h"
#include "core/control.h"
#include "core/event.h"
#include "core/inheritance.h"
#include "core/family.h"
#include "core/read.h"
#include "core/sched.h"
#include "core/sideband.h"
#include "core/state.h"
#include "core/watch.h"

/* ---- fork ------------------------------------------------------------------------------- */

#if TALLY_CORE_INHERITANCE

static bool is_inherited(const struct tally_core_event *event, bool process)
{
	return event->attr.inherit && !(event->attr.inherit_thread && process);
}

/* State while a child inherits events at fork. */
struct inheritance_state {
	struct tally_core_context *to;
	struct tally_spares spares;
	bool process;
	bool whole; /* all events are inherited */
};

static struct tally_core_event *inherit_event(struct inheritance_state *heritage,
					      struct tally_core_event *event,
					      struct tally_core_event *leader)
{
	struct tally_core_event *child = tally_event_inherit(
		&heritage->spares, event, tally_event_root(event), heritage->to->task);

	tally_event_install(child, heritage->to, leader,
			    tally_load_relaxed(&event->state) >= TALLY_STATE_INACTIVE
				    ? TALLY_STATE_INACTIVE
				    : TALLY_STATE_OFF);
	return child;
}

static void inherit_list(struct inheritance_state *heritage, struct tally_list *groups)
{
	tally_list_for_each (link, groups) {
		struct tally_core_event *leader =
			tally_container_of(link, struct tally_core_event, group);
		struct tally_core_event *of_child = NULL;

		if (!is_inherited(leader, heritage->process)) {
			heritage->whole = false;
			continue;
		}
		tally_group_for_each (event, leader) {
			struct tally_core_event *child = inherit_event(heritage, event, of_child);

			of_child = of_child ? of_child : child;
		}
	}
}

static void inherit_slice(struct inheritance_state *heritage, struct tally_core_slice *slice)
{
	inherit_list(heritage, &slice->pinned);
	inherit_list(heritage, &slice->flexible);
}

/* Copy the groups to the child in the parent's order. That order must not change during the copy,
 * even if a tick occurs or the parent is preempted. */
static void inherit_slices(struct inheritance_state *heritage, struct tally_core_context *from,
			   struct tally_core_slice *slices)
{
	tally_exchange(&from->is_forking, 1);
	inherit_slice(heritage, &from->any);
	for (uint32_t i = 0; slices && i < from->core->nr_cpus; i++)
		inherit_slice(heritage, &slices[i]);
	tally_store_release(&from->is_forking, 0);
}

/* Mark the context of a child that has inherited all events as a clone. Clones can be swapped at a
 * switch; see switch.c. */
static void mark_clone(const struct tally_core_context *of, struct tally_core_context *clone)
{
	clone->origin = of->origin ? of->origin : of->id;
	clone->origin_generation = of->origin ? of->origin_generation : of->generation;
}

/* Count the events in all inherited groups. The result is an upper limit on the number of
 * children. */
static uint32_t nr_inherited(const struct tally_core_context *context, bool process)
{
	uint32_t nr = 0;

	tally_context_for_each (event, context)
		nr += is_inherited(event->leader, process);
	return nr;
}

/* Called with the family lock held. */
static int inherit(struct inheritance_state *heritage, struct tally_core_context *from,
		   struct tally_core_task *child)
{
	struct tally_core_slice *slices = tally_load_acquire(&from->slices);
	int ret;

	/* Slices added after the demand was computed are still empty, so they can be ignored. */
	if (slices && !heritage->to->slices)
		slices = NULL;
	ret = tally_family_adopt(child, heritage->to);

	/* Another task has already opened an event on the child; see tally_core_fork() in
	 * core.h. */
	if (ret)
		return -EBUSY;
	heritage->whole = true;
	inherit_slices(heritage, from, slices);
	if (heritage->whole)
		mark_clone(from, heritage->to);
	heritage->to = NULL;
	return 0;
}

/* Memory needed to inherit from the parent's context. */
struct demand {
	struct tally_core_family *family;
	uint32_t nr; /* number of events */
	bool slices;
};

static bool inheritance_has_memory(const struct inheritance_state *heritage,
				   const struct demand *demand)
{
	const struct tally_core_context *to = heritage->to;

	return to && to->family == demand->family && (to->slices || !demand->slices) &&
	       heritage->spares.nr >= demand->nr;
}

/* Allocate the memory that is needed. Called without the family lock. */
static int inheritance_alloc(struct tally_core *core, struct inheritance_state *heritage,
			     const struct demand *demand)
{
	struct tally_core_context *context = heritage->to;

	if (context && context->family != demand->family) {
		tally_context_put(context);
		context = heritage->to = NULL;
	}
	if (!context) {
		context = tally_core_alloc(core, sizeof(*context));
		if (!context || tally_context_init(context, core, demand->family)) {
			tally_core_free(core, context, sizeof(*context));
			return -ENOMEM;
		}
		tally_watch_get(core);
		heritage->to = context;
	}
	if (demand->slices && tally_context_alloc_slices(context))
		return -ENOMEM;
	return tally_spares_fill(core, &heritage->spares, demand->nr);
}

/* Try to inherit. Return 0 when done, -EAGAIN after allocating missing memory, -ENOMEM, or -EBUSY
 * if the child has an event. */
static int try_inherit(struct tally_core *core, struct inheritance_state *heritage,
		       struct tally_core_task *current, struct tally_core_task *child)
{
	struct demand demand = {.family = tally_family_lock_task(core, current)};
	struct tally_core_context *from;
	int ret = 0;

	if (!demand.family)
		return 0;
	from = tally_context_pin_task(core, current);
	if (!from) {
		tally_family_release(demand.family);
		return 0;
	}
	demand.nr = nr_inherited(from, heritage->process);
	demand.slices = tally_load_relaxed(&from->slices);
	if (demand.nr)
		ret = inheritance_has_memory(heritage, &demand) ? inherit(heritage, from, child)
								: -EAGAIN;
	tally_context_unpin(from);
	tally_family_unlock(demand.family);
	if (ret == -EAGAIN && inheritance_alloc(core, heritage, &demand))
		ret = -ENOMEM;
	tally_family_put(demand.family);
	return ret;
}

static int inherit_events(struct tally_core *core, struct tally_core_task *current,
			  struct tally_core_task *child, bool process)
{
	struct inheritance_state heritage = {.process = process};
	int ret = -EAGAIN;

	while (ret == -EAGAIN)
		ret = try_inherit(core, &heritage, current, child);
	tally_spares_free(&heritage.spares);
	if (heritage.to)
		tally_context_put(heritage.to);
	return ret;
}

#else

static int inherit_events(struct tally_core *core, struct tally_core_task *current,
			  struct tally_core_task *child, bool process)
{
	return 0;
}

#endif

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
	int ret;

	child->ppid = current->pid;
	child->ptid = current->tid;
	ret = inherit_events(core, current, child, process);
	if (!ret)
		emit_fork(core, current, child);
	return ret;
}

/* ---- exit ------------------------------------------------------------------------------- */

struct leaving {
	struct tally_core_task *task;
	bool exited;
};

/* Write the EXIT record, which is the last record for the task's events. Then take the context off
 * the CPU permanently, because a switch can no longer find the context through its task. */
static void leave_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	const struct leaving *leaving = arg;
	struct tally_core *core = context->core;
	struct tally_core_context *next;

	/* tally_core_end() may have cleared the task. Restore it, as the record is about that
	 * task. */
	tally_store_relaxed(&context->task, leaving->task);
	if (leaving->exited)
		tally_sideband_task(tally_this_cpu(core), context, leaving->task, false);
	if (!cpu)
		return;
	tally_sched_context_out(cpu, context, tally_clock(core));
	/* After an exec, the task may already have a new context. */
	next = cpu->task ? tally_load_acquire(&cpu->task->context) : NULL;
	if (next)
		tally_sched_context_in(cpu, next, tally_clock(core));
	else
		tally_sched_fill(cpu, tally_clock(core));
}

/* Write EXIT records for a task that has no events. Only the CPU's events receive them. */
void tally_inherit_emit_exit(struct tally_core *core, const struct tally_core_task *task)
{
	uintptr_t flags = core->ops->irq_save(core->host);

	tally_sideband_task(tally_this_cpu(core), NULL, task, false);
	core->ops->irq_restore(core->host, flags);
}

#if TALLY_CORE_INHERITANCE

struct last_read {
	struct tally_core_event *event;
	const struct tally_core_task *task;
};

static void read_here(void *arg)
{
	const struct last_read *read = arg;

	tally_read_record(read->event, read->task);
}

/* Write a READ record. Only the event's CPU may write to its buffer. Inherited events that count on
 * all CPUs have no buffer. */
static void emit_read(struct tally_core *core, const struct tally_core_task *task,
		      struct tally_core_event *event)
{
	struct last_read read = {event, task};

	if (!event->attr.inherit_stat || event->cpu < 0 ||
	    !tally_load_relaxed(&event->parent->buffer))
		return;
	if (tally_cpu_call(core, (uint32_t)event->cpu, read_here, &read))
		tally_buffer_count_lost(tally_event_root(event));
}

#else

static void emit_read(struct tally_core *core, const struct tally_core_task *task,
		      struct tally_core_event *event)
{
}

#endif

/* End an event. If the event was opened on the task itself, it stays readable, and so does its
 * group unless `dissolve` is set. If the event was inherited, its counts are added to its
 * parent's. */
static void end_event(struct tally_core *core, const struct tally_core_task *task,
		      struct tally_core_event *event, bool dissolve, struct tally_list *dead)
{
	if (!event->parent) {
		tally_event_uninstall(event, TALLY_STATE_EXIT, dissolve);
		return;
	}
	emit_read(core, task, event);
	tally_event_retire(event, dead);
}

/* Wait for a concurrent tally_core_end(), which may still be inspecting the context; see reap.c. */
static void wait_for_concurrent_end(struct tally_core *core)
{
	tally_registry_unlock(core, tally_registry_lock(core));
}

void tally_inherit_end(struct tally_core_context *context, struct tally_core_task *task,
		       bool exited)
{
	struct leaving leaving = {task, exited};
	struct tally_core *core = context->core;
	struct tally_core_event *event;
	struct tally_list dead;

	tally_list_init(&dead);
	tally_context_run(context, leave_here, &leaving);
	while ((event = tally_context_next(context, NULL)))
		end_event(core, task, event, false, &dead);
	tally_store_relaxed(&context->task, NULL);
	tally_family_release(context->family);
	tally_events_put(&dead);
	wait_for_concurrent_end(core);
	tally_context_put(context);
}

/* Detach the task's context and end its events. Return false if the task has no context. */
static bool end_context(struct tally_core *core, struct tally_core_task *task, bool exited)
{
	struct tally_core_family *family = tally_family_lock_task(core, task);
	struct tally_core_context *context;
	uintptr_t flags;
	bool mine;

	if (!family)
		return false;
	context = tally_context_pin_task(core, task);
	if (!context) {
		tally_family_release(family);
		return false;
	}
	flags = tally_registry_lock(core);
	mine = tally_load_relaxed(&task->context) == context;
	if (mine)
		tally_family_detach(core, task);
	tally_registry_unlock(core, flags);
	if (mine)
		tally_inherit_end(context, task, exited);
	else
		tally_context_unlock_task(context);
	return mine;
}

void tally_core_exit(struct tally_core *core, struct tally_core_task *task)
{
	uintptr_t flags;

	tally_family_close(core, task);
	if (!end_context(core, task, true))
		tally_inherit_emit_exit(core, task);
	flags = tally_registry_lock(core);
	tally_event_disown_all(task);
	tally_registry_unlock(core, flags);
}

/* ---- exec ------------------------------------------------------------------------------- */

static bool waits_for_exec(const struct tally_core_context *context)
{
	tally_context_for_each (event, context) {
		if (event->attr.enable_on_exec)
			return true;
	}
	return false;
}

/* Enable all events with enable_on_exec while the context is off the CPU, and schedule them once.
 * As interrupts are off, this must not take longer than a context switch. */
static void enable_on_exec(struct tally_core_cpu *cpu, struct tally_core_context *context,
			   void *arg)
{
	uint64_t now = tally_clock(context->core);

	if (!waits_for_exec(context))
		return;
	tally_context_diverge(context);
	if (cpu)
		tally_sched_out(cpu, context, now);
	tally_context_for_each (event, context) {
		if (event->attr.enable_on_exec)
			tally_control_enable_here(NULL, event);
		event->attr.enable_on_exec = 0;
	}
	if (cpu)
		tally_sched_back_in(cpu, context, now);
}

static void remove_on_exec(struct tally_core_context *context, const struct tally_core_task *task,
			   struct tally_list *dead)
{
	struct tally_core_event *event = tally_context_next(context, NULL), *next;

	for (; event; event = next) {
		next = tally_context_next(context, event);
		if (event->attr.remove_on_exec)
			end_event(context->core, task, event, true, dead);
	}
}

void tally_core_exec(struct tally_core *core, struct tally_core_task *task, bool privileged)
{
	struct tally_core_context *context;
	struct tally_core_family *family;
	struct tally_list dead;

	if (privileged) {
		tally_family_privilege(core, task);
		end_context(core, task, false);
	}
	family = tally_family_lock_task(core, task);
	if (!family)
		return;
	tally_list_init(&dead);
	context = tally_context_pin_task(core, task);
	if (!context) {
		tally_family_release(family);
		return;
	}
	tally_context_run(context, enable_on_exec, NULL);
	remove_on_exec(context, task, &dead);
	tally_context_unlock_task(context);
	tally_events_put(&dead);
}
