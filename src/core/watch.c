/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/watch.h"

#include "core/context.h"
#include "core/ref.h"

int tally_watch_init(struct tally_core *core)
{
	if (!core->ops->running) {
		core->watch.users = 1;
		return 0;
	}
	core->watch_lock = core->ops->lock_new(core->host);
	return core->watch_lock ? 0 : -ENOMEM;
}

void tally_watch_exit(struct tally_core *core)
{
	if (core->watch_lock)
		core->ops->lock_free(core->host, core->watch_lock);
}

void tally_watch_learn(struct tally_core_cpu *cpu)
{
	struct tally_core *core = cpu->core;

	if (!core->ops->running)
		return;
	cpu->task = core->ops->running(core->host);
	if (!cpu->task)
		return;
	cpu->task->last_cpu = cpu->number;
	cpu->task->epoch = core->epoch;
}

static void learn_here(void *arg)
{
	tally_watch_learn(tally_this_cpu(arg));
}

/* Hooks are called from the moment on that there is a user; whoever runs then is asked for, and a
 * task that runs nowhere is known when it does: where it ran before is forgotten with the epoch. */
static void wake_up(struct tally_core *core)
{
	tally_store_relaxed(&core->epoch, core->epoch + 1);
	for (uint32_t i = 0; i < core->nr_cpus; i++) {
		if (tally_load_relaxed(&core->cpus[i].online))
			tally_cpu_call(core, i, learn_here, core);
	}
}

/*
 * Watchers are many and come and go on all CPUs; hooks look at `users`, which is how often watchers
 * became some from none, less how often they became none again. So it is not 0 while there is one,
 * a put needs no lock, and a get takes it only where nobody has been told that all CPUs were asked.
 */
void tally_watch_get(struct tally_core *core)
{
	if (!core->watch_lock || tally_ref_get_live(&core->watchers))
		return;
	core->ops->lock(core->host, core->watch_lock);
	if (!tally_ref_get_live(&core->watchers)) {
		if (!tally_fetch_add(&core->watch.users, 1))
			wake_up(core);
		tally_store_release(&core->watchers, 1);
	}
	core->ops->unlock(core->host, core->watch_lock);
}

void tally_watch_put(struct tally_core *core)
{
	if (core->watch_lock && tally_ref_put(&core->watchers))
		tally_fetch_add(&core->watch.users, UINT32_MAX);
}
