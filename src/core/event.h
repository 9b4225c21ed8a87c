/* SPDX-License-Identifier: BSD-2-Clause */
/* Create and destroy events. */
#ifndef TALLY_CORE_EVENT_H
#define TALLY_CORE_EVENT_H

#include "core/core_private.h"

/* Create an event with this attr for a task (or for all tasks on a CPU if `task` is NULL), with one
 * reference and no context. Return 0, -ENOMEM, -ENOENT if no PMU accepts the event, or a PMU's
 * error. Called without locks. */
int tally_event_new(struct tally_core *core, const struct perf_event_attr *attr,
		    const struct tally_core_task *task, int32_t cpu,
		    struct tally_core_event **ret_event);

/* Events for children, allocated in advance because the parents are inspected under a lock. An
 * all-zero struct is empty. */
struct tally_spares {
	struct tally_core_event *first;
	uint32_t nr;
};

/* Allocate events until there are `nr` spares; return 0 or -ENOMEM. tally_spares_free() frees the
 * unused ones. Called without locks. */
int tally_spares_fill(struct tally_core *core, struct tally_spares *spares, uint32_t nr);
void tally_spares_free(struct tally_spares *spares);

/* Turn a spare into a child of `root` for a task, with the properties of `from`, which is `root` or
 * a child of it. Called with the family lock held. */
struct tally_core_event *tally_event_inherit(struct tally_spares *spares,
					     const struct tally_core_event *from,
					     struct tally_core_event *root,
					     const struct tally_core_task *task);

/* Add an event to a context, in the group of `leader`, or in a group of its own if `leader` is
 * NULL. Called with the family lock held. */
void tally_event_install(struct tally_core_event *event, struct tally_core_context *context,
			 struct tally_core_event *leader, enum tally_state state);

/* Remove an event from its context; see tally_context_remove(). Called with the family lock
 * held. */
void tally_event_uninstall(struct tally_core_event *event, enum tally_state state, bool dissolve);

/* Retire an event and its children: remove each from its PMU, context and group, and finish the
 * work deferred for it. Every event is retired this way. A child's counts are added to its
 * parent's. The event's reference is transferred to the list `dead`. Called with the family lock
 * held. */
void tally_event_retire(struct tally_core_event *event, struct tally_list *dead);

/* Release a reference. Releasing the last one removes the event from all lists of events and frees
 * it, so an iterator can continue from an event that it holds. Called without locks. */
void tally_event_put(struct tally_core_event *event);

/* Complete the retirement: detach the events from their buffers and release the references. Called
 * without locks. */
void tally_events_put(struct tally_list *dead);

/* Add an opened event to the list of all events and, unless `owner` is NULL, to the owner's
 * list. */
void tally_event_register(struct tally_core_event *event, struct tally_core_task *owner);

/* Return the event that the task opened before `event`, with a reference, and release the reference
 * to `event`. If `event` is NULL, return the event that was opened last. Return NULL at the end of
 * the list. Called without locks. */
struct tally_core_event *tally_event_next_owned(struct tally_core *core,
						struct tally_core_task *task,
						struct tally_core_event *event);

/* Empty the task's list of events. Called with the registry lock held. */
void tally_event_disown_all(struct tally_core_task *task);

/* Finish the work deferred for an event that is in no context. */
void tally_event_flush(struct tally_core_event *event);

#endif
