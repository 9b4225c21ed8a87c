/* SPDX-License-Identifier: BSD-2-Clause */
/* PMUs and tracepoints: which there are, and which events hold them. Neither goes while it is held.
 */
#ifndef TALLY_CORE_PMUS_H
#define TALLY_CORE_PMUS_H

#include "core/private.h"

/* The PMU that takes the event: event->pmu, held, after its init(). -ENOENT: none does; else what a
 * PMU said. Without locks. */
int tally_pmu_find(struct tally_core_event *event);

/* A child's event is of this PMU as well: held. F. */
void tally_pmu_join(struct tally_core_event *event, struct tally_core_pmu *pmu);

/* The event's PMU, held until released; NULL: the event was revoked. Who has neither the family's
 * lock nor the context still follows no other pointer to it. NULL is allowed to release. */
struct tally_core_pmu *tally_pmu_hold(struct tally_core_event *event);
void tally_pmu_release(struct tally_core_pmu *pmu);

/* The event is no PMU's any more, with the event in no context: nobody follows it to the one that
 * it had, which comes back. NULL: it was none's. F, or by who ends it. */
struct tally_core_pmu *tally_pmu_part(struct tally_core_event *event);

/* The second half: forget() of that PMU, and not held. NULL is allowed. Without locks. */
void tally_pmu_leave(struct tally_core_event *event, struct tally_core_pmu *pmu);

/* Whether there is any but the core's own. */
bool tally_pmus_of_host(struct tally_core *core);

/* Those that are left when the core goes. */
void tally_pmus_free(struct tally_core *core);

#if TALLY_CORE_TRACEPOINTS

/* The same for its tracepoint: found by number (-EINVAL: there is none), joined (NULL is allowed)
 * and left. */
int tally_tracepoint_find(struct tally_core_event *event, uint64_t id);
void tally_tracepoint_join(struct tally_core_event *event,
			   struct tally_core_tracepoint *tracepoint);
void tally_tracepoint_leave(struct tally_core_event *event);

/* The event's tracepoint, held until put; NULL: it has none. NULL is allowed to put. */
struct tally_core_tracepoint *tally_tracepoint_get(struct tally_core_event *event);
void tally_tracepoint_put(struct tally_core_tracepoint *tracepoint);

#else

static inline void tally_tracepoint_join(struct tally_core_event *event,
					 struct tally_core_tracepoint *tracepoint)
{
}

static inline void tally_tracepoint_leave(struct tally_core_event *event)
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

/* Revoke the events that `is_one` says yes to, their children with them. Without locks. */
void tally_revoke(struct tally_core *core,
		  bool (*is_one)(const struct tally_core_event *event, const void *what),
		  const void *what);

#endif
