/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts: lookup, exclusive access and contents. */
#ifndef TALLY_CORE_CONTEXT_H
#define TALLY_CORE_CONTEXT_H

#include "core/core_private.h"

/* Initialize an empty context with one reference, in `family`, or in a new family if `family` is
 * NULL. Return 0 or -ENOMEM. */
int tally_context_init(struct tally_core_context *context, struct tally_core *core,
		       struct tally_core_family *family);

/* Allocate the slices of a task's context. This is required before adding its first event that is
 * bound to a CPU. Return 0 or -ENOMEM. Called without locks. */
int tally_context_alloc_slices(struct tally_core_context *context);

/*
 * Call fn in accordance with the context rule: on the CPU that the context is on (`cpu`), or on the
 * current CPU with `cpu` NULL if the context is on no CPU. Called with interrupts on. fn runs with
 * interrupts off, and must not take a lock that precedes the context's lock in the lock order.
 */
typedef void (*tally_context_fn)(struct tally_core_cpu *cpu, struct tally_core_context *context,
				 void *arg);
void tally_context_run(struct tally_core_context *context, tally_context_fn fn, void *arg);

/* Return a task's context, pinned and with its family locked. If the task has no context, create
 * one and, if the task is running, put the context on its CPU. Return 0, -ENOMEM, or -ESRCH if the
 * task has exited. Called where sleeping is allowed. */
int tally_context_lock_task(struct tally_core *core, struct tally_core_task *task,
			    struct tally_core_context **ret_context);
void tally_context_unlock_task(struct tally_core_context *context);

/* Take or release a reference, which may be held by a task, an event or a buffer. Releasing the
 * last reference frees the context. */
void tally_context_get(struct tally_core_context *context);
void tally_context_put(struct tally_core_context *context);

/* Add an event to its context. The event's state must be INACTIVE or OFF, and its leader must be
 * set. The caller must follow the context rule and hold the family lock. */
void tally_context_insert(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Take an event off its PMU, remove it from its context, and set its state to EXIT, REVOKED or
 * DEAD. With `dissolve`, also remove the event from its group; if it is the leader, the members
 * become single events. Without `dissolve`, the group remains readable. The caller must follow the
 * context rule and hold the family lock. */
void tally_context_remove(struct tally_core_cpu *cpu, struct tally_core_event *event,
			  enum tally_state state, bool dissolve);

/* tally_context_unlink_event() removes an event that is not on a PMU from its context's lists.
 * tally_context_link_event() adds the event to its new context's lists; the new context's time must
 * be up to date. The group and the state do not change. The caller must follow the context rule and
 * hold the family lock. */
void tally_context_unlink_event(struct tally_core_event *event);
void tally_context_link_event(struct tally_core_event *event);

/* Request MUNMAP records for an event. The caller must follow the context rule. */
void tally_context_request_munmap(struct tally_core_event *event);

/* Record that the context no longer holds the same events as its clones. The caller must follow the
 * context rule. */
void tally_context_diverge(struct tally_core_context *context);

/* Return a task's current context, pinned, or NULL if it has no context. A pinned context stays
 * with its task, instead of being swapped at a context switch, until it is unpinned. Called with
 * the family lock held. */
struct tally_core_context *tally_context_pin_task(struct tally_core *core,
						  struct tally_core_task *task);
void tally_context_unpin(struct tally_core_context *context);

/* Return the CPU that the context is on, or -1. If the context is put on a CPU later, that CPU sees
 * all earlier writes. */
int32_t tally_context_cpu(struct tally_core_context *context);

/* Run fn(arg) on the CPU with interrupts off, as ops->call() does. Return 0 or -ENXIO. On a machine
 * with one CPU, fn runs directly. */
int tally_cpu_call(struct tally_core *core, uint32_t cpu, void (*fn)(void *arg), void *arg);

/* Wait until all hooks running on the CPU (-1 for none) have returned. Hooks that start later do
 * not find objects that were unlinked before this call. Also runs deferred work on that CPU. */
void tally_cpu_quiesce(struct tally_core *core, int32_t cpu);

#endif
