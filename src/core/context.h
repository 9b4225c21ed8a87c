/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts: lookup, exclusive access and contents. */
#ifndef TALLY_CORE_CONTEXT_H
#define TALLY_CORE_CONTEXT_H

#include "core/core_private.h"

/* Initialize an empty context with one reference, in `family` or (NULL) in a new one. Return 0 or
 * -ENOMEM. */
int tally_context_init(struct tally_core_context *context, struct tally_core *core,
		       struct tally_core_family *family);

/* Allocate the slices of a task's context. Required before its first event of a single CPU is
 * added. Return 0 or -ENOMEM. Called without locks. */
int tally_context_alloc_slices(struct tally_core_context *context);

/*
 * Call fn under the context rule: on the context's CPU (`cpu`) if it is on one, otherwise here with
 * `cpu` NULL. Called with interrupts on. fn runs with interrupts off, and must not take a lock that
 * precedes the context's.
 */
typedef void (*tally_context_fn)(struct tally_core_cpu *cpu, struct tally_core_context *context,
				 void *arg);
void tally_context_run(struct tally_core_context *context, tally_context_fn fn, void *arg);

/* Return the context of a task, pinned and with its family locked. If it has none, create one and,
 * if the task is running, put it on the CPU. Return 0, -ENOMEM, or -ESRCH if the task has exited.
 * Called where the machine may sleep. */
int tally_context_lock_task(struct tally_core *core, struct tally_core_task *task,
			    struct tally_core_context **ret_context);
void tally_context_unlock_task(struct tally_core_context *context);

/* Take or release a reference: of the task, an event or a buffer. Releasing the last one frees the
 * context. */
void tally_context_get(struct tally_core_context *context);
void tally_context_put(struct tally_core_context *context);

/* Add an event (INACTIVE or OFF; its leader set) to its context. Called under the context rule with
 * the family lock held. */
void tally_context_insert(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Take an event off its PMU and out of its context, and set its state to EXIT, REVOKED or DEAD.
 * With `dissolve`, also remove it from its group; the members of a leader become single events.
 * Otherwise the group remains readable. Called under the context rule with the family lock held. */
void tally_context_remove(struct tally_core_cpu *cpu, struct tally_core_event *event,
			  enum tally_state state, bool dissolve);

/* tally_context_unlink_event() removes an event that is on no PMU from its context's lists.
 * tally_context_link_event() adds it to those of its new context; that context's time must be up to
 * date. Group and state do not change. Called under the context rule with the family lock held. */
void tally_context_unlink_event(struct tally_core_event *event);
void tally_context_link_event(struct tally_core_event *event);

/* Request MUNMAP records for an event. Called under the context rule. */
void tally_context_request_munmap(struct tally_core_event *event);

/* Mark the context as no longer holding the same events as its clones. Called under the context
 * rule. */
void tally_context_diverge(struct tally_core_context *context);

/* Return the current context of a task, pinned, or NULL if it has none. A pinned context stays with
 * its task (no swap at a switch) until it is unpinned. Called with the family lock held. */
struct tally_core_context *tally_context_pin_task(struct tally_core *core,
						  struct tally_core_task *task);
void tally_context_unpin(struct tally_core_context *context);

/* Return the CPU that the context is on, -1 for none. A CPU that it is put on later sees what was
 * written before. */
int32_t tally_context_cpu(struct tally_core_context *context);

/* Run fn(arg) on that CPU with interrupts off, as ops->call() does. Return 0 or -ENXIO. On a
 * machine with one CPU, run it here. */
int tally_cpu_call(struct tally_core *core, uint32_t cpu, void (*fn)(void *arg), void *arg);

/* Wait until the hooks that are running on that CPU (-1: none) have returned. Later ones do not
 * find what was unlinked before. Also runs deferred work there. */
void tally_cpu_quiesce(struct tally_core *core, int32_t cpu);

#endif
