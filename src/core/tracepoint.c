/* SPDX-License-Identifier: BSD-2-Clause */
/* Tracepoint registry. */
#include "core/pmus.h"
#include "core/ref.h"

#if TALLY_CORE_TRACEPOINTS

static bool same_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static bool same_name(const struct tally_core_tracepoint *tracepoint, const char *system,
		      const char *name)
{
	return same_text(tracepoint->system, system) && same_text(tracepoint->name, name);
}

const struct tally_core_tracepoint *tally_core_tracepoint_find(struct tally_core *core,
							       const char *system, const char *name)
{
	uintptr_t flags = tally_registry_lock(core);
	const struct tally_core_tracepoint *at = core->tracepoints;

	while (at && (at->leaving || !same_name(at, system, name)))
		at = at->next;
	tally_registry_unlock(core, flags);
	return at;
}

int tally_core_tracepoint_register(struct tally_core *core,
				   struct tally_core_tracepoint *tracepoint)
{
	uintptr_t flags = tally_registry_lock(core);
	const struct tally_core_tracepoint *at = core->tracepoints;
	int ret;

	while (at && at->id != tracepoint->id &&
	       !same_name(at, tracepoint->system, tracepoint->name))
		at = at->next;
	ret = at ? -EEXIST : 0;
	if (at == tracepoint && tracepoint->leaving)
		ret = -EBUSY;
	if (!at) {
		tracepoint->users = 0;
		tracepoint->leaving = false;
		tracepoint->next = core->tracepoints;
		core->tracepoints = tracepoint;
	}
	tally_registry_unlock(core, flags);
	return ret;
}

/* ---- references of events --------------------------------------------------------------- */

int tally_tracepoint_find(struct tally_core_event *event, uint64_t id)
{
	uintptr_t flags = tally_registry_lock(event->core);
	struct tally_core_tracepoint *at = event->core->tracepoints;

	while (at && (at->leaving || at->id != id))
		at = at->next;
	if (at)
		tally_ref_get(&at->users);
	event->tracepoint = at;
	tally_registry_unlock(event->core, flags);
	return at ? 0 : -EINVAL;
}

void tally_tracepoint_join(struct tally_core_event *event, struct tally_core_tracepoint *tracepoint)
{
	event->tracepoint = tracepoint;
	if (tracepoint)
		tally_ref_get(&tracepoint->users);
}

void tally_tracepoint_detach(struct tally_core_event *event)
{
	struct tally_core_tracepoint *tracepoint;
	uintptr_t flags;

	if (!tally_load_relaxed(&event->tracepoint))
		return;
	flags = tally_registry_lock(event->core);
	tracepoint = event->tracepoint;
	tally_store_relaxed(&event->tracepoint, NULL);
	tally_registry_unlock(event->core, flags);
	tally_tracepoint_put(tracepoint);
}

struct tally_core_tracepoint *tally_tracepoint_get(struct tally_core_event *event)
{
	uintptr_t flags = tally_registry_lock(event->core);
	struct tally_core_tracepoint *tracepoint = event->tracepoint;

	if (tracepoint)
		tally_ref_get(&tracepoint->users);
	tally_registry_unlock(event->core, flags);
	return tracepoint;
}

void tally_tracepoint_put(struct tally_core_tracepoint *tracepoint)
{
	if (tracepoint)
		tally_ref_put(&tracepoint->users);
}

/* ---- unregistering ---------------------------------------------------------------------- */

/* Return the link that points to the tracepoint, or the link at the end of the list, which is NULL.
 * Called with the registry lock held. */
static struct tally_core_tracepoint **
tracepoint_link(struct tally_core *core, const struct tally_core_tracepoint *tracepoint)
{
	struct tally_core_tracepoint **at = &core->tracepoints;

	while (*at && *at != tracepoint)
		at = &(*at)->next;
	return at;
}

/* Hide the tracepoint from lookups. Its ID and name remain in use. */
static int tracepoint_close(struct tally_core *core, struct tally_core_tracepoint *tracepoint)
{
	uintptr_t flags = tally_registry_lock(core);
	int ret = *tracepoint_link(core, tracepoint) ? 0 : -ENOENT;

	if (!ret)
		tracepoint->leaving = true;
	tally_registry_unlock(core, flags);
	return ret;
}

/* Remove the tracepoint from the list, unless it is held. */
static int tracepoint_unlink(struct tally_core *core, struct tally_core_tracepoint *tracepoint)
{
	uintptr_t flags = tally_registry_lock(core);
	struct tally_core_tracepoint **at = tracepoint_link(core, tracepoint);
	int ret = *at ? 0 : -ENOENT;

	if (!ret && tally_load_acquire(&tracepoint->users))
		ret = -EBUSY;
	if (!ret) {
		*at = tracepoint->next;
		tracepoint->leaving = false;
	}
	tally_registry_unlock(core, flags);
	return ret;
}

static bool is_of_tracepoint(const struct tally_core_event *event, const void *tracepoint)
{
	return tally_load_relaxed(&event->tracepoint) == tracepoint;
}

int tally_core_tracepoint_unregister(struct tally_core *core,
				     struct tally_core_tracepoint *tracepoint)
{
	int ret = tracepoint_close(core, tracepoint);

	if (ret)
		return ret;
	tally_revoke(core, is_of_tracepoint, tracepoint);
	return tracepoint_unlink(core, tracepoint);
}

#else

const struct tally_core_tracepoint *tally_core_tracepoint_find(struct tally_core *core,
							       const char *system, const char *name)
{
	return NULL;
}

int tally_core_tracepoint_register(struct tally_core *core,
				   struct tally_core_tracepoint *tracepoint)
{
	return -EOPNOTSUPP;
}

int tally_core_tracepoint_unregister(struct tally_core *core,
				     struct tally_core_tracepoint *tracepoint)
{
	return -ENOENT;
}

#endif
