/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Families: sets of contexts connected by inheritance, which share one sleeping lock. Events are
 * inherited by the contexts of child tasks. No other operation affects more than one context, so
 * tasks without common events never wait for each other.
 *
 * At most one family lock is held at a time. It is taken only where sleeping is allowed.
 */
#ifndef TALLY_CORE_FAMILY_H
#define TALLY_CORE_FAMILY_H

#include "core/core_private.h"

/* Create a family without contexts, with one reference. Return NULL if out of memory. */
struct tally_core_family *tally_family_new(struct tally_core *core);

/* Take or release a reference; releasing the last one frees the family. tally_family_put() accepts
 * NULL. */
void tally_family_get(struct tally_core_family *family);
void tally_family_put(struct tally_core_family *family);

void tally_family_lock(struct tally_core_family *family);
void tally_family_unlock(struct tally_core_family *family);

/* Return the family of the task's context, locked and with a reference, or NULL if the task has no
 * context. */
struct tally_core_family *tally_family_lock_task(struct tally_core *core,
						 struct tally_core_task *task);

/* Unlock the family and release the reference. */
void tally_family_release(struct tally_core_family *family);

/* Return the family lock to use for an event in that context: the context's family, or core->movers
 * if the event can migrate. */
struct tally_core_family *tally_event_family(const struct tally_core_event *event,
					     const struct tally_core_context *context);

/* Lock or unlock the family of the event's context, which the event keeps alive. */
void tally_event_lock(struct tally_core_event *event);
void tally_event_unlock(struct tally_core_event *event);

/* Make `context` the task's context. Return 0, -ESRCH if the task has exited, or -EAGAIN if the
 * task already has a context. */
int tally_family_adopt(struct tally_core_task *task, struct tally_core_context *context);

/* Detach the task from its context. Called with the registry lock and, except by tally_core_end(),
 * the family lock held. */
void tally_family_detach(struct tally_core *core, struct tally_core_task *task);

/* Record that the task is executing a program with more privileges, which invalidates earlier
 * permission checks. */
void tally_family_privilege(struct tally_core *core, struct tally_core_task *task);

/* Record that the task has exited and must no longer be given a context. */
void tally_family_close(struct tally_core *core, struct tally_core_task *task);

#endif
