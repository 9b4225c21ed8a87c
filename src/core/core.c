/* SPDX-License-Identifier: BSD-2-Clause */
/* The life of a core: CPUs, PMUs, tasks. */
#include "core/context.h"
#include "core/family.h"
#include "core/sched.h"
#include "core/scratch.h"
#include "core/software.h"

/* ---- settings --------------------------------------------------------------------------- */

void tally_core_settings_init(struct tally_core_settings *settings)
{
	*settings = (struct tally_core_settings){
		.paranoid = 2,
		.max_sample_rate = 100000,
		.tick_ns = 4000000,
		.mlock_kb = 516,
		.max_stack = PERF_MAX_STACK_DEPTH,
		.max_contexts = PERF_MAX_CONTEXTS_PER_STACK,
		.record_max = 65528,
	};
}

struct tally_core_settings *tally_core_settings(struct tally_core *core)
{
	return &core->settings;
}

/* ---- PMUs ------------------------------------------------------------------------------- */

/* With the registry's lock. */
static int pmu_place(struct tally_core *core, struct tally_core_pmu *pmu)
{
	if (core->nr_pmus == TALLY_CORE_MAX_PMUS)
		return -ENOSPC;
	for (uint32_t i = 0; i < core->nr_pmus; i++) {
		if (core->pmus[i]->type == pmu->type && pmu->type != PERF_TYPE_SOFTWARE)
			return -EEXIST;
	}
	pmu->owner = core;
	pmu->number = core->nr_pmus;
	core->pmus[core->nr_pmus] = pmu;
	tally_store_release(&core->nr_pmus, core->nr_pmus + 1);
	return 0;
}

int tally_core_pmu_register(struct tally_core *core, struct tally_core_pmu *pmu)
{
	uintptr_t flags;
	int ret;

	if (!pmu->init || !pmu->add || !pmu->del || !pmu->start || !pmu->stop || !pmu->read ||
	    !pmu->begin != !pmu->commit || !pmu->begin != !pmu->cancel ||
	    !pmu->pause != !pmu->resume)
		return -EINVAL;
	flags = tally_registry_lock(core);
	ret = pmu_place(core, pmu);
	tally_registry_unlock(core, flags);
	return ret;
}

__attribute__((weak)) int tally_core_pmu_init(struct tally_core *core, void *host)
{
	return 0;
}

static int register_all(struct tally_core *core)
{
	struct tally_core_pmu *const own[] = {&core->software, &core->cpu_clock, &core->task_clock,
					      &core->tracing};

	tally_software_init(core);
	tally_clock_init(core);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(own); i++) {
		int ret = tally_core_pmu_register(core, own[i]);

		if (ret)
			return ret;
	}
	return tally_core_pmu_init(core, core->host);
}

static bool same_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

const struct tally_core_tracepoint *tally_core_tracepoint_find(struct tally_core *core,
							       const char *system, const char *name)
{
	const struct tally_core_tracepoint *at = tally_load_acquire(&core->tracepoints);

	while (at && !(same_text(at->system, system) && same_text(at->name, name)))
		at = at->next;
	return at;
}

/* Whoever is first: looked for without a lock, as the list only grows at its head; then once more
 * if it grew meanwhile. */
int tally_core_tracepoint_register(struct tally_core *core,
				   struct tally_core_tracepoint *tracepoint)
{
	struct tally_core_tracepoint *head = tally_load_acquire(&core->tracepoints);

	do {
		const struct tally_core_tracepoint *other = head;

		while (other && other->id != tracepoint->id)
			other = other->next;
		if (other || tally_core_tracepoint_find(core, tracepoint->system, tracepoint->name))
			return -EEXIST;
		tracepoint->next = head;
	} while (!tally_compare_exchange(&core->tracepoints, &head, tracepoint));
	return 0;
}

/* ---- CPUs ------------------------------------------------------------------------------- */

static int cpu_init(struct tally_core *core, uint32_t number)
{
	struct tally_core_cpu *cpu = &core->cpus[number];

	cpu->core = core;
	cpu->number = number;
	tally_list_init(&cpu->clocks);
	for (int i = 0; i < PERF_COUNT_SW_MAX; i++)
		tally_list_init(&cpu->software[i]);
	for (int i = 0; i < TALLY_CORE_BUCKETS; i++)
		tally_list_init(&cpu->tracepoints[i]);
	return tally_context_init(&cpu->own, core, NULL);
}

static void cpu_set_online(void *arg)
{
	struct tally_core_cpu *cpu = arg;
	uint64_t now = tally_clock(cpu->core);

	tally_spin_lock(&cpu->own.lock, cpu->core->ops, cpu->core->host);
	tally_store_relaxed(&cpu->online, true);
	tally_store_relaxed(&cpu->own.on_cpu, (int32_t)cpu->number);
	cpu->own.stamp = now;
	tally_spin_unlock(&cpu->own.lock);
	tally_sched_in(cpu, now);
}

static void cpu_set_offline(void *arg)
{
	struct tally_core_cpu *cpu = arg;
	uint64_t now = tally_clock(cpu->core);

	if (cpu->of_task)
		tally_sched_context_out(cpu, cpu->of_task, now);
	tally_sched_out(cpu, &cpu->own, now);
	tally_spin_lock(&cpu->own.lock, cpu->core->ops, cpu->core->host);
	tally_store_relaxed(&cpu->online, false);
	tally_store_relaxed(&cpu->own.on_cpu, -1);
	tally_spin_unlock(&cpu->own.lock);
	/* What its events put off to the last: nothing is on its stack while it is off line. */
	tally_core_deferred(cpu->core);
}

int tally_core_cpu_online(struct tally_core *core, uint32_t cpu)
{
	int ret = 0;

	if (cpu >= core->nr_cpus)
		return -EINVAL;
	tally_family_lock(core->cpus[cpu].own.family);
	if (!core->cpus[cpu].online) {
		ret = core->ops->call(core->host, cpu, cpu_set_online, &core->cpus[cpu]);
		if (!ret)
			tally_fetch_add(&core->nr_online, 1);
	}
	tally_family_unlock(core->cpus[cpu].own.family);
	return ret;
}

void tally_core_cpu_offline(struct tally_core *core, uint32_t cpu)
{
	if (cpu >= core->nr_cpus)
		return;
	tally_family_lock(core->cpus[cpu].own.family);
	if (core->cpus[cpu].online &&
	    !core->ops->call(core->host, cpu, cpu_set_offline, &core->cpus[cpu]))
		tally_fetch_add(&core->nr_online, UINT32_MAX);
	tally_family_unlock(core->cpus[cpu].own.family);
}

/* Every record but a sample fits, with the shortest of strings. */
enum { RECORD_MAX_LEAST = 512 };

/* ---- life ------------------------------------------------------------------------------- */

static size_t core_size(uint32_t nr_cpus)
{
	return sizeof(struct tally_core) + (size_t)nr_cpus * sizeof(struct tally_core_cpu);
}

static bool ops_complete(const struct tally_host_ops *ops)
{
	return ops->alloc && ops->free && ops->pages_alloc && ops->pages_free && ops->lock_new &&
	       ops->lock_free && ops->lock && ops->unlock && ops->irq_save && ops->irq_restore &&
	       ops->this_cpu && ops->call && ops->defer && ops->clock && ops->task_get &&
	       ops->task_put && ops->event_of_fd && ops->copy_from_user && ops->copy_to_user &&
	       tally_is_pow2(ops->page_size) && ops->page_size >= TALLY_CORE_PAGE_LEAST;
}

int tally_core_create(const struct tally_host_ops *ops, void *host, uint32_t nr_cpus,
		      const struct tally_core_settings *settings, struct tally_core **ret_core)
{
	struct tally_core *core;
	int ret = 0;

	if (!nr_cpus || nr_cpus > INT32_MAX || !ops_complete(ops))
		return -EINVAL;
	core = ops->alloc(host, core_size(nr_cpus));
	if (!core)
		return -ENOMEM;
	core->ops = ops;
	core->host = host;
	core->nr_cpus = nr_cpus;
	tally_list_init(&core->events);
	tally_core_settings_init(&core->settings);
	if (settings)
		core->settings = *settings;
	core->settings.record_max =
		TALLY_MAX(TALLY_MIN(core->settings.record_max & ~7U, 65528), RECORD_MAX_LEAST);
	for (uint32_t i = 0; i < nr_cpus && !ret; i++)
		ret = cpu_init(core, i);
	if (!ret)
		ret = register_all(core);
	if (ret)
		tally_core_destroy(core);
	else
		*ret_core = core;
	return ret;
}

void tally_core_destroy(struct tally_core *core)
{
	if (!core)
		return;
	for (uint32_t i = 0; i < core->nr_cpus; i++) {
		tally_family_put(core->cpus[i].own.family);
		tally_scratch_free(&core->cpus[i]);
	}
	tally_core_free(core, core, core_size(core->nr_cpus));
}

void tally_core_task_init(struct tally_core_task *task, int32_t pid, int32_t tid)
{
	*task = (struct tally_core_task){.pid = pid, .tid = tid, .last_cpu = UINT32_MAX};
}
