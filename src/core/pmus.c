/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/pmus.h"

#include "core/event.h"
#include "core/ref.h"

/* ---- registering ------------------------------------------------------------------------ */

static size_t cpus_size(const struct tally_core *core)
{
	return core->nr_cpus * sizeof(struct tally_core_pmu_cpu);
}

/* Capabilities that a PMU with cpu_of() must have, because events that can migrate between CPUs
 * have neither tasks nor rings. */
enum { WITHOUT_TASKS = TALLY_PMU_PER_CPU_ONLY | TALLY_PMU_NO_INTERRUPT };

static bool verbs_complete(const struct tally_core_pmu *pmu)
{
	return pmu->init && pmu->add && pmu->del && pmu->start && pmu->stop && pmu->read &&
	       !pmu->begin == !pmu->commit && !pmu->begin == !pmu->cancel &&
	       !pmu->pause == !pmu->resume &&
	       (!pmu->cpu_of || (pmu->caps & WITHOUT_TASKS) == WITHOUT_TASKS);
}

/* Called with the registry lock held. */
static int pmu_place(struct tally_core *core, struct tally_core_pmu *pmu,
		     struct tally_core_pmu_cpu *cpus)
{
	uint32_t nr = 0;

	for (const struct tally_core_pmu *at = core->pmus; at; at = at->next, nr++) {
		if (at == pmu)
			return at->leaving ? -EBUSY : -EEXIST;
		if (at->type == pmu->type && pmu->type != PERF_TYPE_SOFTWARE)
			return -EEXIST;
	}
	if (!TALLY_CORE_SEVERAL_PMUS && nr > TALLY_CORE_OWN_PMUS)
		return -ENOSPC;
	pmu->owner = core;
	pmu->cpus = cpus;
	pmu->users = 0;
	pmu->leaving = false;
	pmu->next = core->pmus;
	core->pmus = pmu;
	return 0;
}

int tally_core_pmu_register(struct tally_core *core, struct tally_core_pmu *pmu)
{
	struct tally_core_pmu_cpu *cpus;
	uintptr_t flags;
	int ret;

	if (!verbs_complete(pmu))
		return -EINVAL;
	cpus = tally_core_alloc(core, cpus_size(core));
	if (!cpus)
		return -ENOMEM;
	flags = tally_registry_lock(core);
	ret = pmu_place(core, pmu, cpus);
	tally_registry_unlock(core, flags);
	if (ret)
		tally_core_free(core, cpus, cpus_size(core));
	return ret;
}

void tally_pmus_free(struct tally_core *core)
{
	for (struct tally_core_pmu *pmu = core->pmus, *next; pmu; pmu = next) {
		next = pmu->next;
		tally_core_free(core, pmu->cpus, cpus_size(core));
	}
	core->pmus = NULL;
}

/* ---- choosing a PMU --------------------------------------------------------------------- */

/* Return the PMU type that a generic event's config contains on hybrid CPUs, or 0 if there is
 * none. */
static uint32_t named_pmu(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE)
		return 0;
	return (uint32_t)(attr->config >> PERF_PMU_TYPE_SHIFT);
}

static bool may_serve(const struct tally_core_pmu *pmu, const struct perf_event_attr *attr)
{
	uint32_t named = named_pmu(attr);

	if (pmu->leaving)
		return false;
	if (named)
		return pmu->core && pmu->type == named;
	return pmu->type == attr->type ||
	       (pmu->core && (attr->type == PERF_TYPE_HARDWARE ||
			      attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW));
}

/* Release `pmu`, and return and hold the next PMU that may serve the attr. If `pmu` is NULL, start
 * with the PMU registered last, because the host's PMUs are tried before the core's. */
static struct tally_core_pmu *pmu_next(struct tally_core *core, struct tally_core_pmu *pmu,
				       const struct perf_event_attr *attr)
{
	uintptr_t flags = tally_registry_lock(core);
	struct tally_core_pmu *next = pmu ? pmu->next : core->pmus;

	while (next && !may_serve(next, attr))
		next = next->next;
	if (next)
		tally_ref_get(&next->users);
	if (pmu)
		tally_ref_put(&pmu->users);
	tally_registry_unlock(core, flags);
	return next;
}

int tally_pmu_find(struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	struct tally_core_pmu *pmu = pmu_next(core, NULL, &event->attr);

	while (pmu) {
		int ret = pmu->init(pmu, &event->hw);

		if (!ret)
			event->pmu = pmu;
		else if (ret != -ENOENT)
			tally_ref_put(&pmu->users);
		if (ret != -ENOENT)
			return ret;
		pmu = pmu_next(core, pmu, &event->attr);
	}
	return -ENOENT;
}

void tally_pmu_join(struct tally_core_event *event, struct tally_core_pmu *pmu)
{
	tally_ref_get(&pmu->users);
	event->pmu = pmu;
}

struct tally_core_pmu *tally_pmu_hold(struct tally_core_event *event)
{
	uintptr_t flags = tally_registry_lock(event->core);
	struct tally_core_pmu *pmu = event->pmu;

	if (pmu == &event->core->revoked)
		pmu = NULL;
	else
		tally_ref_get(&pmu->users);
	tally_registry_unlock(event->core, flags);
	return pmu;
}

void tally_pmu_release(struct tally_core_pmu *pmu)
{
	if (pmu)
		tally_ref_put(&pmu->users);
}

struct tally_core_pmu *tally_pmu_detach(struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	struct tally_core_pmu *pmu = event->pmu;
	uintptr_t flags;

	if (!pmu || pmu == &core->revoked)
		return NULL;
	flags = tally_registry_lock(core);
	tally_store_relaxed(&event->pmu, &core->revoked);
	tally_registry_unlock(core, flags);
	return pmu;
}

void tally_pmu_drop(struct tally_core_event *event, struct tally_core_pmu *pmu)
{
	if (!pmu)
		return;
	if (pmu->forget)
		pmu->forget(pmu, &event->hw);
	tally_ref_put(&pmu->users);
}

/* Return true for the core's own PMUs, which are members of struct tally_core. */
static bool is_own(const struct tally_core *core, const struct tally_core_pmu *pmu)
{
	return (uintptr_t)pmu - (uintptr_t)core < sizeof(*core);
}

bool tally_pmus_of_host(struct tally_core *core)
{
	uintptr_t flags = tally_registry_lock(core);
	bool any = false;

	for (const struct tally_core_pmu *pmu = core->pmus; pmu; pmu = pmu->next)
		any |= !is_own(core, pmu) && !pmu->leaving;
	tally_registry_unlock(core, flags);
	return any;
}

/* ---- unregistering ---------------------------------------------------------------------- */

/* Return the link that points to the PMU, or the link at the end of the list, which is NULL. Called
 * with the registry lock held. */
static struct tally_core_pmu **pmu_link(struct tally_core *core, const struct tally_core_pmu *pmu)
{
	struct tally_core_pmu **at = &core->pmus;

	while (*at && *at != pmu)
		at = &(*at)->next;
	return at;
}

/* Hide the PMU from lookups. It stays in the list, as iterators that hold it continue from
 * there. */
static int pmu_close(struct tally_core *core, struct tally_core_pmu *pmu)
{
	uintptr_t flags = tally_registry_lock(core);
	int ret = *pmu_link(core, pmu) ? 0 : -ENOENT;

	if (!ret)
		pmu->leaving = true;
	tally_registry_unlock(core, flags);
	return ret;
}

/* Remove the PMU from the list, unless it is held. */
static int pmu_unlink(struct tally_core *core, struct tally_core_pmu *pmu)
{
	uintptr_t flags = tally_registry_lock(core);
	struct tally_core_pmu **at = pmu_link(core, pmu);
	int ret = *at ? 0 : -ENOENT;

	if (!ret && tally_load_acquire(&pmu->users))
		ret = -EBUSY;
	if (!ret) {
		*at = pmu->next;
		pmu->leaving = false;
	}
	tally_registry_unlock(core, flags);
	return ret;
}

static bool is_of_pmu(const struct tally_core_event *event, const void *pmu)
{
	return tally_load_relaxed(&event->pmu) == pmu;
}

int tally_core_pmu_unregister(struct tally_core *core, struct tally_core_pmu *pmu)
{
	int ret = pmu_close(core, pmu);

	if (ret)
		return ret;
	tally_revoke(core, is_of_pmu, pmu);
	ret = pmu_unlink(core, pmu);
	if (ret)
		return ret;
	tally_core_free(core, pmu->cpus, cpus_size(core));
	pmu->cpus = NULL;
	return 0;
}
