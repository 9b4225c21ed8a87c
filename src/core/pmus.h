/* SPDX-License-Identifier: BSD-2-Clause */
/* Registry of PMUs and tracepoints, and the references of events to them. Neither is removed while
 * it is held. */
#ifndef TALLY_CORE_PMUS_H
#define TALLY_CORE_PMUS_H

#include "core/core_private.h"

/* Find the PMU that accepts the event, and hold it: event->pmu, after its init(). Return 0, -ENOENT
 * if no PMU accepts it, or the error of a PMU. Called without locks. */
int tally_pmu_find(struct tally_core_event *event);

/* Set the PMU of a child event and hold it. Called with the family lock held. */
void tally_pmu_join(struct tally_core_event *event, struct tally_core_pmu *pmu);

/* Return the event's PMU, held until it is released; NULL if the event was revoked. Code outside of
 * the family lock and the context rule must not use event->pmu directly. tally_pmu_release()
 * accepts NULL. */
struct tally_core_pmu *tally_pmu_hold(struct tally_core_event *event);
void tally_pmu_release(struct tally_core_pmu *pmu);

/* Detach an event that is in no context from its PMU, so that the PMU is not reachable through it.
 * Return the PMU, still held; NULL if the event had none. Called with the family lock held, or when
 * freeing the event. */
struct tally_core_pmu *tally_pmu_detach(struct tally_core_event *event);

/* Second half of detaching: call the PMU's forget() and release it. NULL is allowed. Called without
 * locks. */
void tally_pmu_drop(struct tally_core_event *event, struct tally_core_pmu *pmu);

/* Return true if the host has registered a PMU. */
bool tally_pmus_of_host(struct tally_core *core);

/* Free the data of all registered PMUs when the core is destroyed. */
void tally_pmus_free(struct tally_core *core);

#if TALLY_CORE_TRACEPOINTS

/* The same for the event's tracepoint: find it by id (-EINVAL if not registered), set it (NULL is
 * allowed), detach it. */
int tally_tracepoint_find(struct tally_core_event *event, uint64_t id);
void tally_tracepoint_join(struct tally_core_event *event,
			   struct tally_core_tracepoint *tracepoint);
void tally_tracepoint_detach(struct tally_core_event *event);

/* Return the event's tracepoint, held until it is put; NULL if it has none. tally_tracepoint_put()
 * accepts NULL. */
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

/* Revoke the events for which `is_one` returns true, and end their children. Called without any
 * locks. */
void tally_revoke(struct tally_core *core,
		  bool (*is_one)(const struct tally_core_event *event, const void *what),
		  const void *what);

#endif
