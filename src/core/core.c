/* SPDX-License-Identifier: BSD-2-Clause */
/* Create and destroy a core; manage its CPUs, PMUs and tasks. */
#include "core/context.h"
#include "core/pmus.h"
#include "core/family.h"
#include "core/migrate.h"
#include "core/sched.h"
#include "core/software.h"
#include "core/state.h"
#include "core/watch.h"

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

/* Default for hosts without a hardware PMU. Fails if the host claims to have its own
 * tally_core_pmu_init(), because this function was linked instead. */
__attribute__((weak)) int tally_core_pmu_init(struct tally_core *core, void *host)
{
	return core->ops->offers & TALLY_HOST_PMU_INIT ? -ENXIO : 0;
}

static int register_all(struct tally_core *core)
{
	struct tally_core_pmu *const own[] = {
#if TALLY_CORE_SOFTWARE_EVENTS
		&core->software,
#endif
		&core->cpu_clock,
		&core->task_clock,
#if TALLY_CORE_TRACEPOINTS
		&core->tracing,
#endif
	};

	tally_software_init(core);
	tally_clock_init(core);
	core->revoked = (struct tally_core_pmu){.name = "revoked", .caps = TALLY_PMU_SOFTWARE};
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(own); i++) {
		int ret = tally_core_pmu_register(core, own[i]);

		if (ret)
			return ret;
	}
	return core->ops->pmu_init ? core->ops->pmu_init(core, core->host)
				   : tally_core_pmu_init(core, core->host);
}

/* ---- CPUs ------------------------------------------------------------------------------- */

static int cpu_init(struct tally_core *core, uint32_t number)
{
	struct tally_core_cpu *cpu = &core->cpus[number];

	cpu->core = core;
	cpu->number = number;
	tally_software_cpu_init(cpu);
	return tally_context_init(&cpu->own, core, NULL);
}

static void cpu_set_online(void *arg)
{
	struct tally_core_cpu *cpu = arg;
	uint64_t now = tally_clock(cpu->core);

	tally_spin_lock(&cpu->own.lock, cpu->core->ops, cpu->core->host);
	tally_watch_find_running(cpu);
	tally_store_relaxed(&cpu->online, true);
	tally_context_begin_time(&cpu->own, now);
	tally_store_relaxed(&cpu->own.on_cpu, (int32_t)cpu->number);
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
	/* Run any work still deferred by the CPU's events, because an offline CPU must not have
	 * deferred work. */
	tally_core_deferred(cpu->core);
}

int tally_core_cpu_online(struct tally_core *core, uint32_t cpu)
{
	int ret = 0;

	if (cpu >= core->nr_cpus)
		return -EINVAL;
	tally_family_lock(core->cpus[cpu].own.family);
	if (!core->cpus[cpu].online) {
		ret = tally_cpu_call(core, cpu, cpu_set_online, &core->cpus[cpu]);
		if (!ret)
			tally_fetch_add(&core->nr_online, 1);
	}
	tally_family_unlock(core->cpus[cpu].own.family);
	tally_migrate(core);
	return ret;
}

void tally_core_cpu_offline(struct tally_core *core, uint32_t cpu)
{
	if (cpu >= core->nr_cpus)
		return;
	tally_family_lock(core->cpus[cpu].own.family);
	if (core->cpus[cpu].online && !tally_cpu_call(core, cpu, cpu_set_offline, &core->cpus[cpu]))
		tally_fetch_add(&core->nr_online, UINT32_MAX);
	tally_family_unlock(core->cpus[cpu].own.family);
	tally_migrate(core);
}

bool tally_core_cpu_is_online(const struct tally_core *core, uint32_t cpu)
{
	return cpu < core->nr_cpus && tally_load_relaxed(&core->cpus[cpu].online);
}

/* Minimum value of settings.record_max. Every record except a sample fits, if its strings are
 * short. */
enum { RECORD_MAX_LEAST = 512 };

/* ---- creation --------------------------------------------------------------------------- */

/* Return true if the size of the core would overflow. On 32-bit machines, this occurs before the
 * number of CPUs overflows. */
static bool too_many_cpus(uint32_t nr_cpus)
{
	return (uint64_t)nr_cpus * sizeof(struct tally_core_cpu) >
	       SIZE_MAX - sizeof(struct tally_core);
}

static size_t core_size(uint32_t nr_cpus)
{
	return sizeof(struct tally_core) + (size_t)nr_cpus * sizeof(struct tally_core_cpu);
}

static bool ops_complete(const struct tally_host_ops *ops)
{
	return ops->alloc && ops->free && ops->pages_alloc && ops->pages_free && ops->lock_new &&
	       ops->lock_free && ops->lock && ops->unlock && ops->irq_save && ops->irq_restore &&
	       ops->this_cpu && ops->defer && ops->clock && ops->task_get &&
	       (ops->call || !TALLY_CORE_SEVERAL_CPUS) && ops->task_put && ops->event_of_fd &&
	       ops->copy_from_user && ops->copy_to_user && tally_is_pow2(ops->page_size) &&
	       ops->page_size >= TALLY_CORE_PAGE_MIN;
}

int tally_core_create(const struct tally_host_ops *ops, void *host, uint32_t nr_cpus,
		      const struct tally_core_settings *settings, struct tally_core **ret_core)
{
	struct tally_core *core;
	int ret = 0;

	if (!nr_cpus || too_many_cpus(nr_cpus) ||
	    nr_cpus > (TALLY_CORE_SEVERAL_CPUS ? INT32_MAX : 1) || !ops_complete(ops) ||
	    (settings && settings->scattered && settings->contiguous))
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
	ret = tally_watch_init(core);
	if (!ret)
		ret = tally_migrate_init(core);
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
	for (uint32_t i = 0; i < core->nr_cpus; i++)
		tally_family_put(core->cpus[i].own.family);
	tally_pmus_free(core);
	tally_migrate_exit(core);
	tally_watch_exit(core);
	tally_core_free(core, core, core_size(core->nr_cpus));
}

void tally_core_task_init(struct tally_core_task *task, int32_t pid, int32_t tid)
{
	*task = (struct tally_core_task){.pid = pid, .tid = tid, .last_cpu = UINT32_MAX};
}
