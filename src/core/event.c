/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/event.h"

#include "core/buffer.h"
#include "core/context.h"
#include "core/filter.h"

/* ---- which PMU -------------------------------------------------------------------------- */

/* The number of the PMU that config names for the generic types of hybrid CPUs; 0: none. */
static uint32_t named_pmu(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE)
		return 0;
	return (uint32_t)(attr->config >> PERF_PMU_TYPE_SHIFT);
}

static bool may_serve(const struct tally_core_pmu *pmu, const struct perf_event_attr *attr)
{
	uint32_t named = named_pmu(attr);

	if (named)
		return pmu->core && pmu->type == named;
	return pmu->type == attr->type ||
	       (pmu->core && (attr->type == PERF_TYPE_HARDWARE ||
			      attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW));
}

static int find_pmu(struct tally_core_event *event)
{
	struct tally_core *core = event->core;

	/* Later ones first: a host's own come before the core's. */
	for (uint32_t i = core->nr_pmus; i--;) {
		int ret = -ENOENT;

		if (may_serve(core->pmus[i], &event->attr))
			ret = core->pmus[i]->init(core->pmus[i], &event->hw);
		if (!ret)
			event->pmu = core->pmus[i];
		if (ret != -ENOENT)
			return ret;
	}
	return -ENOENT;
}

/* ---- life ------------------------------------------------------------------------------- */

static void init_lists(struct tally_core_event *event)
{
	struct tally_list *const lists[] = {&event->siblings, &event->sibling, &event->group,
					    &event->active,   &event->all,     &event->children,
					    &event->child,    &event->hook,    &event->output};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(lists); i++)
		tally_list_init(lists[i]);
}

/* Frequencies begin with a guess of one event a sample, which the first samples put right. */
static void init_period(struct tally_core_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	event->hw.period = attr->freq && attr->sample_freq ? 1 : attr->sample_period;
	if (event->parent)
		event->hw.period = event->parent->hw.period;
	event->hw.last_period = event->hw.period;
	event->hw.left = (int64_t)event->hw.period;
}

static void event_free(struct tally_core_event *event)
{
	tally_filter_free(event);
	if (event->context)
		tally_context_put(event->context);
	tally_core_free(event->core, event, sizeof(*event));
}

int tally_event_new(struct tally_core *core, const struct perf_event_attr *attr, int32_t cpu,
		    struct tally_core_event *parent, struct tally_core_event **ret_event)
{
	struct tally_core_event *event = tally_core_alloc(core, sizeof(*event));
	int ret;

	if (!event)
		return -ENOMEM;
	init_lists(event);
	event->core = core;
	event->attr = *attr;
	event->cpu = cpu;
	event->id = ++core->last_id;
	event->parent = parent;
	event->classic = parent && parent->classic;
	event->leader = event;
	event->state = TALLY_STATE_OFF;
	event->hw.attr = &event->attr;
	event->hw.index = -1;
	ret = tally_sample_layout_init(&event->layout, attr);
	if (!ret)
		ret = find_pmu(event);
	if (ret) {
		event_free(event);
		return ret;
	}
	init_period(event);
	*ret_event = event;
	return 0;
}

/* ---- in a context ----------------------------------------------------------------------- */

static void insert_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_context_insert(cpu, arg);
}

void tally_event_install(struct tally_core_event *event, struct tally_core_context *context,
			 struct tally_core_event *leader, enum tally_state state)
{
	tally_context_get(context);
	event->context = context;
	event->leader = leader ? leader : event;
	event->state = (int8_t)state;
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
}

/* Its counts are its parent's from now on. */
static void event_fold(struct tally_core_event *child)
{
	struct tally_core_event *parent = child->parent;

	parent->child_count += child->count;
	parent->child_enabled += child->enabled;
	parent->child_running += child->running;
	tally_list_remove(&child->child);
	tally_store_relaxed(&parent->nr_children, parent->nr_children - 1);
}

static void disown(struct tally_core_event *event)
{
	if (!event->owner)
		return;
	*event->owned_at = event->owned_next;
	if (event->owned_next)
		event->owned_next->owned_at = event->owned_at;
	event->owner = NULL;
}

void tally_event_retire(struct tally_core_event *event)
{
	if (!event)
		return;
	while (!tally_list_empty(&event->children))
		tally_event_retire(
			tally_container_of(event->children.next, struct tally_core_event, child));
	disown(event);
	if (event->context)
		tally_event_uninstall(event, TALLY_STATE_DEAD, true);
	if (event->parent)
		event_fold(event);
	tally_buffer_detach(event);
	if (event->deferred)
		tally_core_quiesce(event->core);
	event_free(event);
}

static void munmap_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	tally_context_want_munmap(arg);
}

void tally_core_event_emit_munmap(struct tally_core *core, struct tally_core_event *event)
{
	core->ops->config_lock(core->host);
	tally_context_run(event->context, munmap_here, event);
	core->ops->config_unlock(core->host);
}

void tally_core_close(struct tally_core *core, struct tally_core_event *event)
{
	core->ops->config_lock(core->host);
	tally_event_retire(event);
	core->ops->config_unlock(core->host);
}
