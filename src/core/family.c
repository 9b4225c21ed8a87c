/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/family.h"

#include "core/ref.h"

/* ---- creation --------------------------------------------------------------------------- */

struct tally_core_family *tally_family_new(struct tally_core *core)
{
	struct tally_core_family *family = tally_core_alloc(core, sizeof(*family));

	if (!family)
		return NULL;
	family->core = core;
	family->refs = 1;
	family->lock = core->ops->lock_new(core->host);
	if (family->lock)
		return family;
	tally_core_free(core, family, sizeof(*family));
	return NULL;
}

void tally_family_get(struct tally_core_family *family)
{
	tally_ref_get(&family->refs);
}

void tally_family_put(struct tally_core_family *family)
{
	if (!family || !tally_ref_put(&family->refs))
		return;
	family->core->ops->lock_free(family->core->host, family->lock);
	tally_core_free(family->core, family, sizeof(*family));
}

/* ---- the lock --------------------------------------------------------------------------- */

void tally_family_lock(struct tally_core_family *family)
{
	family->core->ops->lock(family->core->host, family->lock);
}

void tally_family_unlock(struct tally_core_family *family)
{
	family->core->ops->unlock(family->core->host, family->lock);
}

void tally_family_release(struct tally_core_family *family)
{
	tally_family_unlock(family);
	tally_family_put(family);
}

struct tally_core_family *tally_event_family(const struct tally_core_event *event,
					     const struct tally_core_context *context)
{
#if TALLY_CORE_SEVERAL_CPUS
	if (event->moves)
		return event->core->movers;
#endif
	return context->family;
}

void tally_event_lock(struct tally_core_event *event)
{
	tally_family_lock(tally_event_family(event, tally_load_acquire(&event->context)));
}

void tally_event_unlock(struct tally_core_event *event)
{
	tally_family_unlock(tally_event_family(event, event->context));
}

/* ---- the family of a task --------------------------------------------------------------- */

static uintptr_t task_lock(const struct tally_core *core, struct tally_core_task *task)
{
	uintptr_t flags = core->ops->irq_save(core->host);

	tally_spin_lock(&task->lock, core->ops, core->host);
	return flags;
}

static void task_unlock(const struct tally_core *core, struct tally_core_task *task,
			uintptr_t flags)
{
	tally_spin_unlock(&task->lock);
	core->ops->irq_restore(core->host, flags);
}

static struct tally_core_family *family_of(struct tally_core *core, struct tally_core_task *task)
{
	struct tally_core_family *family;
	uintptr_t flags;

	/* Do not take the lock for a task without events. */
	if (!tally_load_acquire(&task->family))
		return NULL;
	flags = task_lock(core, task);
	family = task->family;
	if (family)
		tally_family_get(family);
	task_unlock(core, task, flags);
	return family;
}

struct tally_core_family *tally_family_lock_task(struct tally_core *core,
						 struct tally_core_task *task)
{
	struct tally_core_family *family;

	for (;;) {
		family = family_of(core, task);
		if (!family)
			return NULL;
		tally_family_lock(family);
		/* The task may have left the family while this function waited for the lock. */
		if (tally_load_acquire(&task->family) == family)
			return family;
		tally_family_release(family);
	}
}

int tally_family_adopt(struct tally_core_task *task, struct tally_core_context *context)
{
	const struct tally_core *core = context->core;
	uintptr_t flags = task_lock(core, task);
	int ret = 0;

	if (task->exited)
		ret = -ESRCH;
	else if (task->family)
		ret = -EAGAIN;
	if (!ret) {
		context->task = task;
		tally_store_release(&task->context, context);
		tally_store_release(&task->family, context->family);
	}
	task_unlock(core, task, flags);
	return ret;
}

void tally_family_detach(struct tally_core *core, struct tally_core_task *task)
{
	uintptr_t flags = task_lock(core, task);

	tally_store_release(&task->context, NULL);
	tally_store_release(&task->family, NULL);
	task_unlock(core, task, flags);
}

void tally_family_privilege(struct tally_core *core, struct tally_core_task *task)
{
	uintptr_t flags = task_lock(core, task);

	tally_store_release(&task->execs, task->execs + 1);
	task_unlock(core, task, flags);
}

void tally_family_close(struct tally_core *core, struct tally_core_task *task)
{
	uintptr_t flags = task_lock(core, task);

	tally_store_relaxed(&task->exited, true);
	task_unlock(core, task, flags);
}
