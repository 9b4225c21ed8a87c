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

void tally_watch_find_running(struct tally_core_cpu *cpu)
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

static void ask_running_here(void *arg)
{
	tally_watch_find_running(tally_this_cpu(arg));
}

/* Ask each CPU for its running task, after the first user has been added. From now on, the hooks
 * report every other task when it runs. The new epoch invalidates the CPU recorded for each
 * task. */
static void ask_all_cpus(struct tally_core *core)
{
	tally_store_relaxed(&core->epoch, core->epoch + 1);
	for (uint32_t i = 0; i < core->nr_cpus; i++) {
		if (tally_load_relaxed(&core->cpus[i].online))
			tally_cpu_call(core, i, ask_running_here, core);
	}
}

/*
 * Watchers are added and removed frequently on all CPUs. Hooks check `users`: the number of times
 * that `watchers` left 0 minus the number of times that it returned to 0. So `users` is not 0 while
 * there is a watcher. tally_watch_put() needs no lock, and tally_watch_get() takes the lock only if
 * some CPUs may not have been asked yet.
 */
void tally_watch_get(struct tally_core *core)
{
	if (!core->watch_lock || tally_ref_get_live(&core->watchers))
		return;
	core->ops->lock(core->host, core->watch_lock);
	if (!tally_ref_get_live(&core->watchers)) {
		if (!tally_fetch_add(&core->watch.users, 1))
			ask_all_cpus(core);
		tally_store_release(&core->watchers, 1);
	}
	core->ops->unlock(core->host, core->watch_lock);
}

void tally_watch_put(struct tally_core *core)
{
	if (core->watch_lock && tally_ref_put(&core->watchers))
		tally_fetch_add(&core->watch.users, UINT32_MAX);
}
