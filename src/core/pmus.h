/* SPDX-License-Identifier: BSD-2-Clause */
/* Registry of PMUs and tracepoints, and the references that events hold to them. A PMU or
 * tracepoint is not removed while it is held. */
#ifndef TALLY_CORE_PMUS_H
#define TALLY_CORE_PMUS_H

#include "core/core_private.h"

/* Find the PMU that accepts the event, call its init(), set event->pmu and hold the PMU. Return 0,
 * -ENOENT if no PMU accepts the event, or a PMU's error. Called without locks. */
int tally_pmu_find(struct tally_core_event *event);

/* Set the PMU of a child event and hold it. Called with the family lock held. */
void tally_pmu_join(struct tally_core_event *event, struct tally_core_pmu *pmu);

/* Return the event's PMU and hold it, or return NULL if the event was revoked. Code that neither
 * holds the family lock nor follows the context rule must not use event->pmu directly.
 * tally_pmu_release() accepts NULL. */
struct tally_core_pmu *tally_pmu_hold(struct tally_core_event *event);
void tally_pmu_release(struct tally_core_pmu *pmu);

/* Detach an event that is in no context from its PMU, so the PMU can no longer be reached through
 * the event. Return the PMU, still held, or NULL if the event had none. Called with the family lock
 * held, or when freeing the event. */
struct tally_core_pmu *tally_pmu_detach(struct tally_core_event *event);

/* Complete detaching: call the PMU's forget() and release the PMU, which may be NULL. Called
 * without locks. */
void tally_pmu_drop(struct tally_core_event *event, struct tally_core_pmu *pmu);

/* Return true if the host has registered any PMU. */
bool tally_pmus_of_host(struct tally_core *core);

/* Free the data of all registered PMUs when the core is destroyed. */
void tally_pmus_free(struct tally_core *core);

#if TALLY_CORE_TRACEPOINTS

/* tally_tracepoint_find() finds a tracepoint by ID and holds it for the event, or returns -EINVAL
 * if it is not registered. tally_tracepoint_join() sets a child event's tracepoint, which may be
 * NULL. tally_tracepoint_detach() detaches the event's tracepoint. */
int tally_tracepoint_find(struct tally_core_event *event, uint64_t id);
void tally_tracepoint_join(struct tally_core_event *event,
			   struct tally_core_tracepoint *tracepoint);
void tally_tracepoint_detach(struct tally_core_event *event);

/* Return the event's tracepoint and hold it until tally_tracepoint_put(), or return NULL if it has
 * no tracepoint. tally_tracepoint_put() accepts NULL. */
struct tally_core_tracepoint *tally_tracepoint_get(struct tally_core_event *event);
void tally_tracepoint_put(struct tally_core_tracepoint *tracepoint);

#else

static inline void tally_tracepoint_join(struct tally_core_event *event,
					 struct tally_core_tracepoint *tracepoint)
{
}

static inline void tally_tracepoint_detach(struct tally_core_event *event)
{
}

static inline struct tally_core_tracepoint *tally_tracepoint_get(struct tally_core_event *event)
{
	return NULL;
}

static inline void tally_tracepoint_put(struct tally_core_tracepoint *tracepoint)
{
}

#endif

/* Revoke the events for which `is_one` returns true, and close their children. Called without
 * locks. */
void tally_revoke(struct tally_core *core,
		  bool (*is_one)(const struct tally_core_event *event, const void *what),
		  const void *what);

#endif
