/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/event.h"

#include "core/buffer.h"
#include "core/context.h"
#include "core/family.h"
#include "core/filter.h"
#include "core/frequency.h"
#include "core/pmus.h"
#include "core/watch.h"
#include "core/ref.h"
#include "core/state.h"

/* ---- allocation ------------------------------------------------------------------------- */

static void init_lists(struct tally_core_event *event)
{
	struct tally_list *const lists[] = {
		&event->siblings, &event->sibling, &event->group, &event->active, &event->all,
		&event->children, &event->child,   &event->hook,  &event->output, &event->opened};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(lists); i++)
		tally_list_init(lists[i]);
}

static size_t event_bytes(void)
{
	return TALLY_CORE_WHOLE_ATTR
		       ? sizeof(struct tally_core_event)
		       : offsetof(struct tally_core_event, attr) + TALLY_CORE_ATTR_KEPT;
}

static void set_attr(struct tally_core_event *event, const struct perf_event_attr *attr)
{
	__builtin_memcpy(&event->attr, attr, TALLY_CORE_ATTR_KEPT);
	if (!TALLY_CORE_WHOLE_ATTR)
		event->attr.size = TALLY_CORE_ATTR_KEPT;
}

static struct tally_core_event *event_alloc(struct tally_core *core)
{
	struct tally_core_event *event = tally_core_alloc(core, event_bytes());

	if (!event)
		return NULL;
	tally_watch_get(core);
	init_lists(event);
	event->core = core;
	event->leader = event;
	event->state = TALLY_STATE_OFF;
	event->hw.attr = &event->attr;
	event->hw.index = -1;
	event->refs = 1;
	return event;
}

static void event_free(struct tally_core_event *event)
{
	tally_filter_free(event);
	tally_pmu_drop(event, tally_pmu_detach(event));
	tally_tracepoint_detach(event);
	if (event->context)
		tally_context_put(event->context);
	tally_watch_put(event->core);
	tally_core_free(event->core, event, event_bytes());
}

static void set_period(struct tally_core_event *event, uint64_t period)
{
	event->hw.period = event->hw.last_period = period;
	event->hw.left = (int64_t)period;
}

int tally_event_new(struct tally_core *core, const struct perf_event_attr *attr,
		    const struct tally_core_task *task, int32_t cpu,
		    struct tally_core_event **ret_event)
{
	struct tally_core_event *event = event_alloc(core);
	int ret;

	if (!event)
		return -ENOMEM;
	set_attr(event, attr);
	event->cpu = event->hw.cpu = cpu;
	event->hw.task = task;
	event->id = tally_next_id(core);
	ret = tally_sample_layout_init(&event->layout, attr);
	if (!ret)
		ret = tally_pmu_find(event);
	if (ret) {
		event_free(event);
		return ret;
	}
	/* In frequency mode, begin with a period of one event; the first samples correct it. */
	attr = &event->attr;
	set_period(event, tally_event_has_frequency(event) ? 1 : attr->sample_period);
	*ret_event = event;
	return 0;
}

#if TALLY_CORE_INHERITANCE

/* ---- spare events ----------------------------------------------------------------------- */

int tally_spares_fill(struct tally_core *core, struct tally_spares *spares, uint32_t nr)
{
	while (spares->nr < nr) {
		struct tally_core_event *event = event_alloc(core);

		if (!event)
			return -ENOMEM;
		event->pending_next = spares->first;
		spares->first = event;
		spares->nr++;
	}
	return 0;
}

void tally_spares_free(struct tally_spares *spares)
{
	while (spares->first) {
		struct tally_core_event *event = spares->first;

		spares->first = event->pending_next;
		event_free(event);
	}
	spares->nr = 0;
}

/* The results that the driver stored in `from` also apply to the child. */
struct tally_core_event *tally_event_inherit(struct tally_spares *spares,
					     const struct tally_core_event *from,
					     struct tally_core_event *root,
					     const struct tally_core_task *task)
{
	struct tally_core_event *event = spares->first;

	spares->first = event->pending_next;
	spares->nr--;
	event->pending_next = NULL;
	set_attr(event, &from->attr);
	event->cpu = event->hw.cpu = from->cpu;
	event->hw.task = task;
	event->id = tally_next_id(event->core);
	event->layout = from->layout;
	tally_pmu_join(event, from->pmu);
	tally_tracepoint_join(event, from->tracepoint);
	event->classic = root->classic;
	event->viewer = root->viewer;
	event->overflow = root->overflow;
	event->overflow_arg = root->overflow_arg;
	event->hw.width = from->hw.width;
	__builtin_memcpy(event->hw.config, from->hw.config, sizeof(event->hw.config));
	if (event->pmu->inherit)
		event->pmu->inherit(event->pmu, &event->hw);
	set_period(event, root->hw.period);
	event->parent = root;
	tally_list_insert(&root->children, &event->child);
	tally_store_relaxed(&root->nr_children, root->nr_children + 1);
	return event;
}

#endif

/* ---- references and global lists -------------------------------------------------------- */

/* Called with the registry lock held. */
static void own(struct tally_core_event *event, struct tally_core_task *owner)
{
	event->owned_next = owner->owned;
	event->owned_at = &owner->owned;
	if (owner->owned)
		owner->owned->owned_at = &event->owned_next;
	owner->owned = event;
}

void tally_event_register(struct tally_core_event *event, struct tally_core_task *owner)
{
	uintptr_t flags = tally_registry_lock(event->core);

	tally_list_insert(&event->core->events, &event->opened);
	/* tally_core_end() may already have run for the owner. It disowns the owner's events only
	 * once, so do not add an event afterwards. */
	if (owner && !tally_load_relaxed(&owner->exited))
		own(event, owner);
	tally_registry_unlock(event->core, flags);
}

/* Called with the registry lock held. */
static void disown(struct tally_core_event *event)
{
	if (!event->owned_at)
		return;
	*event->owned_at = event->owned_next;
	if (event->owned_next)
		event->owned_next->owned_at = event->owned_at;
	event->owned_at = NULL;
}

void tally_event_put(struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	uintptr_t flags;

	if (!tally_ref_put(&event->refs))
		return;
	flags = tally_registry_lock(core);
	disown(event);
	tally_list_remove(&event->opened);
	tally_registry_unlock(core, flags);
	event_free(event);
}

struct tally_core_event *tally_event_next_owned(struct tally_core *core,
						struct tally_core_task *task,
						struct tally_core_event *event)
{
	uintptr_t flags = tally_registry_lock(core);
	struct tally_core_event *next = event ? event->owned_next : task->owned;

	while (next && !tally_ref_get_live(&next->refs))
		next = next->owned_next;
	tally_registry_unlock(core, flags);
	if (event)
		tally_event_put(event);
	return next;
}

/* Only the first event is touched: its back pointer is redirected to a dummy. */
void tally_event_disown_all(struct tally_core_task *task)
{
	struct tally_core_event *first = task->owned;

	task->owned = NULL;
	if (first)
		first->owned_at = &first->core->nobody;
}

/* ---- in a context ----------------------------------------------------------------------- */

static void insert_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_context_insert(cpu, arg);
}

#if TALLY_CORE_USERS

/* Return the viewer's slot, or a free slot if the viewer has none, or NULL if no slot is free.
 * Called with the registry lock held. */
static struct tally_core_task_ids *seen_slot(struct tally_core_context *context, const void *viewer)
{
	struct tally_core_task_ids *slot = NULL;

	for (int i = 0; i < TALLY_CORE_VIEWERS; i++) {
		struct tally_core_task_ids *seen = &context->seen[i];

		if (seen->nr && seen->viewer == viewer)
			return seen;
		slot = !slot && !seen->nr ? seen : slot;
	}
	return slot;
}

/* Register the event's viewer while the event is in the context. When the task ends, its IDs are
 * saved for registered viewers; see reap.c. */
static void viewer_register(struct tally_core_event *event)
{
	struct tally_core_context *context = event->context;
	struct tally_core_task_ids *slot = NULL;
	uintptr_t flags;

	if (!event->core->ops->ids)
		return;
	flags = tally_registry_lock(event->core);
	/* tally_core_end() clears the task under the registry lock. No IDs are saved after that. */
	if (tally_load_relaxed(&context->task))
		slot = seen_slot(context, event->viewer);
	if (slot) {
		slot->viewer = event->viewer;
		slot->nr++;
		event->is_seen = true;
	}
	tally_registry_unlock(event->core, flags);
}

static void viewer_unregister(struct tally_core_event *event)
{
	uintptr_t flags;

	if (!event->is_seen)
		return;
	flags = tally_registry_lock(event->core);
	seen_slot(event->context, event->viewer)->nr--;
	event->is_seen = false;
	tally_registry_unlock(event->core, flags);
}

#else

static void viewer_register(struct tally_core_event *event)
{
}

static void viewer_unregister(struct tally_core_event *event)
{
}

#endif

void tally_event_install(struct tally_core_event *event, struct tally_core_context *context,
			 struct tally_core_event *leader, enum tally_state state)
{
	tally_context_get(context);
	event->context = context;
	event->leader = leader ? leader : event;
	event->state = (int8_t)state;
	viewer_register(event);
	tally_context_run(context, insert_here, event);
}

struct removal {
	struct tally_core_event *event;
	enum tally_state state;
	bool dissolve;
};

static void remove_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	const struct removal *removal = arg;

	tally_context_remove(cpu, removal->event, removal->state, removal->dissolve);
}

void tally_event_uninstall(struct tally_core_event *event, enum tally_state state, bool dissolve)
{
	struct removal removal = {event, state, dissolve};

	tally_context_run(event->context, remove_here, &removal);
	viewer_unregister(event);
}

/* Add the child's counts to its parent's child counts. */
static void event_fold(struct tally_core_event *child)
{
	struct tally_core_event *parent = child->parent;

	tally_count_alone(&parent->child_count, child->count);
	tally_count_alone(&parent->child_enabled, tally_event_times(child)->enabled);
	tally_count_alone(&parent->child_running, tally_event_times(child)->running);
	tally_list_remove(&child->child);
	tally_store_relaxed(&parent->nr_children, parent->nr_children - 1);
}

/* Wait until the work deferred for the event is done, no matter on which CPU. No more work can be
 * deferred for the event at this point. */
void tally_event_flush(struct tally_core_event *event)
{
	struct tally_core *core = event->core;

	while (tally_load_acquire(&event->stacked)) {
		tally_cpu_quiesce(core, (int32_t)tally_load_relaxed(&event->stacked_on));
		if (tally_load_acquire(&event->stacked) && core->ops->relax)
			core->ops->relax(core->host);
	}
}

void tally_event_retire(struct tally_core_event *event, struct tally_list *dead)
{
	while (!tally_list_empty(&event->children))
		tally_event_retire(
			tally_container_of(event->children.next, struct tally_core_event, child),
			dead);
	if (event->context)
		tally_event_uninstall(event, TALLY_STATE_DEAD, true);
	if (TALLY_CORE_INHERITANCE && event->parent)
		event_fold(event);
	tally_event_flush(event);
	tally_event_check_retired(event);
	tally_list_insert(dead, &event->child);
}

void tally_events_put(struct tally_list *dead)
{
	while (!tally_list_empty(dead)) {
		struct tally_core_event *event =
			tally_container_of(dead->next, struct tally_core_event, child);

		tally_list_remove(&event->child);
		tally_buffer_detach(event);
		tally_event_put(event);
	}
}

#if TALLY_CORE_CLASSIC

static void munmap_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_context_request_munmap(arg);
}

void tally_core_event_emit_munmap(struct tally_core *core, struct tally_core_event *event)
{
	tally_event_lock(event);
	tally_context_run(event->context, munmap_here, event);
	tally_event_unlock(event);
}

#endif

void tally_core_close(struct tally_core *core, struct tally_core_event *event)
{
	struct tally_list dead;

	tally_list_init(&dead);
	tally_event_lock(event);
	tally_event_retire(event, &dead);
	tally_event_unlock(event);
	tally_events_put(&dead);
}
