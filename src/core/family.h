/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Families: the contexts that inheritance connects, and the one sleeping lock that they share. What
 * a task hands on goes to its children's contexts; nothing else of configuration reaches from one
 * context to another, so tasks that have no events in common never wait for one another.
 *
 * At most one family's lock is held at a time. Taken where the machine may sleep.
 */
#ifndef TALLY_CORE_FAMILY_H
#define TALLY_CORE_FAMILY_H

#include "core/private.h"

/* One of no context yet, with one reference; NULL when there is no memory. */
struct tally_core_family *tally_family_new(struct tally_core *core);

/* One reference more; one less: the last one frees it. NULL is allowed to put. */
void tally_family_get(struct tally_core_family *family);
void tally_family_put(struct tally_core_family *family);

void tally_family_lock(struct tally_core_family *family);
void tally_family_unlock(struct tally_core_family *family);

/* The family of the task's context, locked and with a reference; NULL when it has no context. */
struct tally_core_family *tally_family_lock_task(struct tally_core *core,
						 struct tally_core_task *task);

/* Unlock and give the reference back. */
void tally_family_release(struct tally_core_family *family);

/* The family of an event in that context: the context's, or that of all events that move. */
struct tally_core_family *tally_event_family(const struct tally_core_event *event,
					     const struct tally_core_context *context);

/* That of the context that it is in, which the event keeps. */
void tally_event_lock(struct tally_core_event *event);
void tally_event_unlock(struct tally_core_event *event);

/* Make `context` the task's. -ESRCH: it has exited; -EAGAIN: it has one. */
int tally_family_adopt(struct tally_core_task *task, struct tally_core_context *context);

/* The task has no context from now on. With the family's lock. */
void tally_family_leave(struct tally_core *core, struct tally_core_task *task);

/* The task executes a program of more rights: who was judged before may not look at it any more. */
void tally_family_privilege(struct tally_core *core, struct tally_core_task *task);

/* The task gets no context any more. */
void tally_family_close(struct tally_core *core, struct tally_core_task *task);

#endif
