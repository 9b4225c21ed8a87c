/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterate over, revoke and close opened events. */
#include "core/control.h"
#include "core/event.h"
#include "core/family.h"
#include "core/pmus.h"
#include "core/ref.h"

/* ---- iteration -------------------------------------------------------------------------- */

struct tally_core_event *tally_core_event_next(struct tally_core *core,
					       struct tally_core_event *event)
{
	uintptr_t flags = tally_registry_lock(core);
	struct tally_list *at = event ? event->opened.next : core->events.next;
	struct tally_core_event *next = NULL;

	/* Skip events without references, which are about to be freed. */
	for (; !next && at != &core->events; at = at->next) {
		next = tally_container_of(at, struct tally_core_event, opened);
		if (!tally_ref_get_live(&next->refs))
			next = NULL;
	}
	tally_registry_unlock(core, flags);
	if (event)
		tally_event_put(event);
	return next;
}

void tally_core_event_put(struct tally_core_event *event)
{
	if (event)
		tally_event_put(event);
}

/* ---- revoking --------------------------------------------------------------------------- */

static void wake(struct tally_core_event *event)
{
	struct tally_core *core = event->core;
	uintptr_t flags = core->ops->irq_save(core->host);

	tally_control_wake(event, TALLY_CORE_POLLHUP);
	core->ops->irq_restore(core->host, flags);
}

/* Add the children's counts to the opened event and close the children. The opened event remains
 * until its descriptor is closed. */
static void revoke_event(struct tally_core_event *event)
{
	struct tally_core_pmu *pmu = NULL;
	struct tally_list dead;
	bool was_open;

	tally_list_init(&dead);
	tally_event_lock(event);
	was_open = tally_load_relaxed(&event->state) > TALLY_STATE_REVOKED;
	while (was_open && !tally_list_empty(&event->children))
		tally_event_retire(
			tally_container_of(event->children.next, struct tally_core_event, child),
			&dead);
	if (was_open) {
		tally_event_uninstall(event, TALLY_STATE_REVOKED, true);
		tally_event_flush(event);
		wake(event); /* under the lock, so that close() cannot return before this */
		pmu = tally_pmu_detach(event);
	}
	tally_event_unlock(event);
	tally_events_put(&dead);
	if (!was_open)
		return;
	tally_tracepoint_detach(event);
	tally_pmu_drop(event, pmu);
}

void tally_revoke(struct tally_core *core,
		  bool (*is_one)(const struct tally_core_event *event, const void *what),
		  const void *what)
{
	struct tally_core_event *event = tally_core_event_next(core, NULL);
	uint64_t last = tally_load_relaxed(&core->last_id);

	/* Stop at the last ID in use now, so the loop ends even if new events keep being opened.
	 * Events are listed in the order of their IDs. */
	while (event && event->id <= last) {
		if (is_one(event, what))
			revoke_event(event);
		event = tally_core_event_next(core, event);
	}
	tally_core_event_put(event);
}

/* ---- closing ---------------------------------------------------------------------------- */

uint32_t tally_core_close_all(struct tally_core *core)
{
	struct tally_core_event *event = tally_core_event_next(core, NULL);
	uint32_t nr = 0;

	while (event) {
		/* The event may already be closed but still held by an iterator. */
		if (tally_load_relaxed(&event->state) != TALLY_STATE_DEAD) {
			tally_core_close(core, event);
			nr++;
		}
		event = tally_core_event_next(core, event);
	}
	return nr;
}
