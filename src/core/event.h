/* SPDX-License-Identifier: BSD-2-Clause */
/* Making and ending events. */
#ifndef TALLY_CORE_EVENT_H
#define TALLY_CORE_EVENT_H

#include "core/private.h"

/* An event with this attr for a task (NULL: all of a CPU), no context yet and one reference.
 * -ENOMEM; what the PMUs said, -ENOENT if it is none's. Without locks. */
int tally_event_new(struct tally_core *core, const struct perf_event_attr *attr,
		    const struct tally_core_task *task, int32_t cpu,
		    struct tally_core_event **ret_event);

/* Events to be: memory taken before the lock that their parents are looked at under. Zero: none. */
struct tally_spares {
	struct tally_core_event *first;
	uint32_t nr;
};

/* Have at least `nr`: -ENOMEM. Give back those that are left. Without locks. */
int tally_spares_fill(struct tally_core *core, struct tally_spares *spares, uint32_t nr);
void tally_spares_free(struct tally_spares *spares);

/* Turn a spare one into a child of `root` for a task, made after `from`, which is it or a child of
 * it. F. */
struct tally_core_event *tally_event_inherit(struct tally_spares *spares,
					     const struct tally_core_event *from,
					     struct tally_core_event *root,
					     const struct tally_core_task *task);

/* Put it into a context, beside its leader. F. */
void tally_event_install(struct tally_core_event *event, struct tally_core_context *context,
			 struct tally_core_event *leader, enum tally_state state);

/* Take it out of its context: tally_context_remove(). F. */
void tally_event_uninstall(struct tally_core_event *event, enum tally_state state, bool dissolve);

/* The one way out: off its PMU, out of its context and its group, with what was deferred for it
 * done; children with it. A child's counts are added to its parent's. The reference that kept it
 * goes to `dead`. F. */
void tally_event_retire(struct tally_core_event *event, struct tally_list *dead);

/* One reference less. With the last one it leaves the lists of all events and is freed: until then
 * who iterates goes on from it. Without locks. */
void tally_event_put(struct tally_core_event *event);

/* The second half of retiring: off their buffers, and a reference less. Without locks. */
void tally_events_put(struct tally_list *dead);

/* Note that it was opened, by `owner`. */
void tally_event_list(struct tally_core_event *event, struct tally_core_task *owner);

/* The event that the task opened before `event`, with a reference; the one of `event` is given
 * back. NULL: the last one it opened; NULL: no more. Without locks. */
struct tally_core_event *tally_event_next_owned(struct tally_core *core,
						struct tally_core_task *task,
						struct tally_core_event *event);

/* The task's events are nobody's from now on. R. */
void tally_event_disown_all(struct tally_core_task *task);

/* Have what was deferred for an event that is in no context done. */
void tally_event_flush(struct tally_core_event *event);

#endif
