/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/context.h"

#include "core/family.h"
#include "core/frequency.h"
#include "core/overflow.h"
#include "core/ref.h"
#include "core/sched.h"
#include "core/state.h"
#include "core/watch.h"

static void slice_init(struct tally_core_slice *slice)
{
	tally_list_init(&slice->pinned);
	tally_list_init(&slice->flexible);
	tally_list_init(&slice->events);
}

static size_t slices_bytes(const struct tally_core *core)
{
	return core->nr_cpus * sizeof(struct tally_core_slice);
}

int tally_context_alloc_slices(struct tally_core_context *context)
{
	struct tally_core *core = context->core;
	struct tally_core_slice *slices, *none = NULL;

	if (!TALLY_CORE_SEVERAL_CPUS || tally_load_relaxed(&context->slices))
		return 0;
	slices = tally_core_alloc(core, slices_bytes(core));
	if (!slices)
		return -ENOMEM;
	for (uint32_t i = 0; i < core->nr_cpus; i++)
		slice_init(&slices[i]);
	if (!tally_compare_exchange(&context->slices, &none, slices))
		tally_core_free(core, slices, slices_bytes(core));
	return 0;
}

int tally_context_init(struct tally_core_context *context, struct tally_core *core,
		       struct tally_core_family *family)
{
	if (family)
		tally_family_get(family);
	else
		family = tally_family_new(core);
	if (!family)
		return -ENOMEM;
	context->family = family;
	context->core = core;
	context->on_cpu = -1;
	context->refs = 1;
	context->id = tally_next_id(core);
	tally_list_init(&context->active);
	slice_init(&context->any);
	return 0;
}

/* ---- running under the context rule ----------------------------------------------------- */

struct run {
	struct tally_core_context *context;
	tally_context_fn fn;
	void *arg;
	bool done;
};

/* Run the function on the CPU that the context was last seen on. */
static void run_there(void *arg)
{
	struct run *run = arg;
	struct tally_core_cpu *cpu = tally_this_cpu(run->context->core);

	if (tally_load_relaxed(&run->context->on_cpu) != (int32_t)cpu->number)
		return;
	run->fn(cpu, run->context, run->arg);
	run->done = true;
}

/* Run the function on the current CPU if there is only one CPU, or if the context is on no CPU. The
 * context's lock prevents the context from being put on a CPU in the meantime. Return the CPU that
 * the context is on, or -1. */
static int32_t run_here(struct run *run)
{
	struct tally_core *core = run->context->core;
	uintptr_t flags = core->ops->irq_save(core->host);
	int32_t on_cpu;

	tally_spin_lock(&run->context->lock, core->ops, core->host);
	on_cpu = run->context->on_cpu;
	if (on_cpu < 0 || !TALLY_CORE_SEVERAL_CPUS)
		run->fn(on_cpu < 0 ? NULL : tally_this_cpu(core), run->context, run->arg);
	tally_spin_unlock(&run->context->lock);
	core->ops->irq_restore(core->host, flags);
	return on_cpu;
}

void tally_context_run(struct tally_core_context *context, tally_context_fn fn, void *arg)
{
	struct tally_core *core = context->core;
	struct run run = {context, fn, arg, false};

	while (!run.done) {
		int32_t cpu = run_here(&run);

		if (cpu < 0 || !TALLY_CORE_SEVERAL_CPUS)
			return;
		tally_cpu_call(core, (uint32_t)cpu, run_there, &run);
	}
}

static void pin_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	context->pins++;
}

static void unpin_here(struct tally_core_cpu *cpu, struct tally_core_context *context, void *arg)
{
	context->pins--;
}

void tally_context_unpin(struct tally_core_context *context)
{
	tally_context_run(context, unpin_here, NULL);
}

struct tally_core_context *tally_context_pin_task(struct tally_core *core,
						  struct tally_core_task *task)
{
	struct tally_core_context *context;

	for (;;) {
		context = tally_load_acquire(&task->context);
		if (!context)
			return NULL;
		tally_context_run(context, pin_here, NULL);
		/* The context may have been swapped with another task's before it was pinned; see
		 * switch.c. */
		if (context == tally_load_acquire(&task->context))
			return context;
		tally_context_unpin(context);
	}
}

/* ---- the context of a task -------------------------------------------------------------- */

struct attach {
	struct tally_core *core;
	struct tally_core_task *task;
};

static void attach_here(void *arg)
{
	struct attach *attach = arg;
	struct tally_core_cpu *cpu = tally_this_cpu(attach->core);
	struct tally_core_context *context;

	if (cpu->task != attach->task || cpu->of_task)
		return;
	/* tally_core_end() may detach the context at any time, but the context remains valid during
	 * this call. */
	context = tally_load_acquire(&attach->task->context);
	if (context)
		tally_sched_context_in(cpu, context, tally_clock(attach->core));
}

/* If the task is running, put its first context on its CPU. */
static void attach_running(struct tally_core *core, struct tally_core_task *task)
{
	struct attach attach = {core, task};
	bool known = TALLY_CORE_SEVERAL_CPUS && core->ops->task_cpu;
	int32_t on = known ? core->ops->task_cpu(core->host, task) : -1;

	if (on >= 0)
		tally_cpu_call(core, (uint32_t)on, attach_here, &attach);
	for (uint32_t i = 0; !known && i < core->nr_cpus; i++) {
		if (tally_load_relaxed(&core->cpus[i].online))
			tally_cpu_call(core, i, attach_here, &attach);
	}
}

/* Create a task's first context, in a new family. Return 0 with the family locked and the context
 * pinned, -ENOMEM, -ESRCH if the task has exited, or -EAGAIN if the task already has a context. */
static int first_context(struct tally_core *core, struct tally_core_task *task,
			 struct tally_core_context **ret_context)
{
	struct tally_core_context *context = tally_core_alloc(core, sizeof(*context));
	int ret;

	if (!context)
		return -ENOMEM;
	if (tally_context_init(context, core, NULL)) {
		tally_core_free(core, context, sizeof(*context));
		return -ENOMEM;
	}
	context->pins = 1;
	tally_watch_get(core);
	tally_family_get(context->family);
	tally_family_lock(context->family);
	ret = tally_family_adopt(task, context);
	if (ret) {
		tally_family_release(context->family);
		tally_context_put(context);
		return ret;
	}
	attach_running(core, task);
	*ret_context = context;
	return 0;
}

int tally_context_lock_task(struct tally_core *core, struct tally_core_task *task,
			    struct tally_core_context **ret_context)
{
	struct tally_core_context *context;
	struct tally_core_family *family;
	int ret;

	do {
		family = tally_family_lock_task(core, task);
		context = family ? tally_context_pin_task(core, task) : NULL;
		if (context) {
			*ret_context = context;
			return 0;
		}
		/* The task has just exited; see reap.c. */
		if (family)
			tally_family_release(family);
		ret = first_context(core, task, ret_context);
	} while (ret == -EAGAIN);
	return ret;
}

void tally_context_unlock_task(struct tally_core_context *context)
{
	struct tally_core_family *family = context->family;

	tally_context_unpin(context);
	tally_family_release(family);
}

void tally_context_get(struct tally_core_context *context)
{
	tally_ref_get(&context->refs);
}

void tally_context_put(struct tally_core_context *context)
{
	if (!tally_ref_put(&context->refs))
		return;
	tally_family_put(context->family);
	tally_watch_put(context->core);
	tally_core_free(context->core, context->slices, slices_bytes(context->core));
	tally_core_free(context->core, context, sizeof(*context));
}

void tally_context_diverge(struct tally_core_context *context)
{
	context->generation++;
	context->origin = 0;
}

/* ---- the events of a context ------------------------------------------------------------ */

#if TALLY_CORE_SIDEBAND

/* Count the kinds of records that the event requests. `by` is 1 or UINT32_MAX (-1). */
static void count_wants(struct tally_core_context *context, const struct tally_core_event *event,
			uint32_t by)
{
	const struct perf_event_attr *attr = &event->attr;
	const bool wants[TALLY_WANTS_NR] = {
		[TALLY_WANTS_MMAP] = attr->mmap || attr->mmap2 || attr->mmap_data || event->classic,
		[TALLY_WANTS_COMM] = attr->comm,
		[TALLY_WANTS_TASK] =
			attr->task || attr->mmap || attr->comm || attr->mmap2 || attr->mmap_data,
		[TALLY_WANTS_SWITCH] = attr->context_switch,
		[TALLY_WANTS_NAMESPACES] = attr->namespaces,
		[TALLY_WANTS_KSYMBOL] = attr->ksymbol,
		[TALLY_WANTS_TEXT_POKE] = attr->text_poke,
		[TALLY_WANTS_BPF] = attr->bpf_event,
		[TALLY_WANTS_CGROUP] = attr->cgroup,
	};

	for (int i = 0; i < TALLY_WANTS_NR; i++)
		context->wants[i] += wants[i] ? by : 0;
}

#else

static void count_wants(struct tally_core_context *context, const struct tally_core_event *event,
			uint32_t by)
{
}

#endif

static void count_event(struct tally_core_context *context, const struct tally_core_event *event,
			uint32_t by)
{
	const struct perf_event_attr *attr = &event->attr;

	count_wants(context, event, by);
	context->nr_freq += tally_event_has_frequency(event) ? by : 0;
	context->nr_bound += attr->inherit_stat || attr->sigtrap ? by : 0;
	context->nr_events += by;
}

void tally_context_request_munmap(struct tally_core_event *event)
{
	bool counted = !tally_list_empty(&event->all);

	if (counted)
		count_wants(event->context, event, UINT32_MAX);
	event->classic = true;
	if (counted)
		count_wants(event->context, event, 1);
}

static void list_group(struct tally_core_event *leader)
{
	struct tally_core_slice *slice = tally_event_slice(leader);

	if (leader->attr.pinned) {
		tally_list_insert(&slice->pinned, &leader->group);
		return;
	}
	leader->waits_since = tally_clock(leader->core);
	tally_list_insert(&slice->flexible, &leader->group);
}

/* Set leader->group_pmu to the group's hardware PMU, of which there is at most one, or to NULL if
 * the group has only software events. */
static void find_group_pmu(struct tally_core_event *leader)
{
	leader->group_pmu = NULL;
	tally_group_for_each (event, leader) {
		if (!tally_event_is_software(event)) {
			leader->group_pmu = event->pmu;
			return;
		}
	}
}

void tally_context_insert(struct tally_core_cpu *cpu, struct tally_core_event *event)
{
	struct tally_core_context *context = event->context;
	uint64_t now = tally_clock(context->core);

	tally_context_advance(context, now);
	event->times[event->times_at].stamp = context->time;
	if (cpu && event->leader->state == TALLY_STATE_ACTIVE)
		tally_sched_disable(cpu, event->leader, now);
	if (tally_event_is_leader(event)) {
		list_group(event);
	} else {
		tally_list_insert(&event->leader->siblings, &event->sibling);
		event->leader->nr_siblings++;
	}
	if (!tally_event_is_software(event))
		event->leader->group_pmu = event->pmu;
	tally_list_insert(&tally_event_slice(event)->events, &event->all);
	count_event(context, event, 1);
	tally_context_diverge(context);
	if (cpu)
		tally_sched_enable(cpu, event->leader, now);
}

/* Take an event off its PMU and remove it from the context's lists. Its group remains unchanged. */
static void event_detach(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now)
{
	struct tally_core_context *context = event->context;

	tally_context_advance(context, now);
	if (cpu)
		tally_sched_disable(cpu, event, now);
	tally_list_remove(&event->all);
	tally_list_remove(&event->group);
	count_event(context, event, UINT32_MAX);
	tally_context_diverge(context);
}

void tally_context_unlink_event(struct tally_core_event *event)
{
	tally_event_account(event); /* account for the time up to now in the old context */
	event_detach(NULL, event, tally_clock(event->core));
}

void tally_context_link_event(struct tally_core_event *event)
{
	struct tally_core_context *context = event->context;

	event->times[event->times_at].stamp = context->time;
	if (tally_event_is_leader(event))
		list_group(event);
	tally_list_insert(&tally_event_slice(event)->events, &event->all);
	count_event(context, event, 1);
	tally_context_diverge(context);
}

/* Turn the members of a group into single events, because the group loses its leader. */
static void disband(struct tally_core_cpu *cpu, struct tally_core_event *leader, uint64_t now)
{
	while (!tally_list_empty(&leader->siblings)) {
		struct tally_core_event *event =
			tally_container_of(leader->siblings.next, struct tally_core_event, sibling);

		tally_event_account(event);
		tally_list_remove(&event->sibling);
		event->leader = event;
		find_group_pmu(event);
		if (tally_list_empty(&event->all))
			continue; /* its task has exited */
		list_group(event);
		if (cpu)
			tally_sched_enable(cpu, event, now);
	}
	leader->nr_siblings = 0;
	find_group_pmu(leader);
}

/* Remove an event from its group. An exclusive group is taken off the PMU before it loses a member,
 * because its claim on the PMU is released through group_pmu. */
static void leave_group(struct tally_core_cpu *cpu, struct tally_core_event *event, uint64_t now)
{
	struct tally_core_event *leader = event->leader;
	bool on = cpu && leader->attr.exclusive && leader->state == TALLY_STATE_ACTIVE;

	if (tally_event_is_leader(event)) {
		disband(cpu, event, now);
		return;
	}
	if (on)
		tally_sched_disable(cpu, leader, now);
	tally_list_remove(&event->sibling);
	leader->nr_siblings--;
	if (!tally_event_is_software(event))
		find_group_pmu(leader);
	event->leader = event;
	find_group_pmu(event);
	if (on)
		tally_sched_enable(cpu, leader, now);
}

void tally_context_remove(struct tally_core_cpu *cpu, struct tally_core_event *event,
			  enum tally_state state, bool dissolve)
{
	uint64_t now = tally_clock(event->core);

	if (!tally_list_empty(&event->all))
		event_detach(cpu, event, now);
	tally_overflow_drop_trap(event);
	tally_event_set_state(event, state);
	if (dissolve)
		leave_group(cpu, event, now);
	if (cpu)
		tally_sched_fill(cpu, now);
}

/* ---- calls to CPUs ---------------------------------------------------------------------- */

int tally_cpu_call(struct tally_core *core, uint32_t cpu, void (*fn)(void *arg), void *arg)
{
	uintptr_t flags;

	if (TALLY_CORE_SEVERAL_CPUS)
		return core->ops->call(core->host, cpu, fn, arg);
	flags = core->ops->irq_save(core->host);
	fn(arg);
	core->ops->irq_restore(core->host, flags);
	return 0;
}

static void run_deferred(void *arg)
{
	tally_core_deferred(arg);
}

void tally_cpu_quiesce(struct tally_core *core, int32_t cpu)
{
	if (cpu >= 0)
		tally_cpu_call(core, (uint32_t)cpu, run_deferred, core);
}

/* Taking the context's lock ensures that a CPU on which the context is put later sees all earlier
 * writes. */
int32_t tally_context_cpu(struct tally_core_context *context)
{
	const struct tally_core *core = context->core;
	uintptr_t flags = core->ops->irq_save(core->host);
	int32_t cpu;

	tally_spin_lock(&context->lock, core->ops, core->host);
	cpu = context->on_cpu;
	tally_spin_unlock(&context->lock);
	core->ops->irq_restore(core->host, flags);
	return cpu;
}
