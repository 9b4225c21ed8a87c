/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts: finding them, holding them still, and what is in them. */
#ifndef TALLY_CORE_CONTEXT_H
#define TALLY_CORE_CONTEXT_H

#include "core/private.h"

/* An empty one with one reference, of that family or (NULL) the first of its own. -ENOMEM. */
int tally_context_init(struct tally_core_context *context, struct tally_core *core,
		       struct tally_core_family *family);

/* Have slices, for events of single CPUs: before the first is put into a task's context. -ENOMEM.
 * Without locks. */
int tally_context_slice_up(struct tally_core_context *context);

/*
 * Call fn with the context held by the context rule: on its CPU (`cpu`) if it is on one, else
 * here with `cpu` NULL. Interrupts on; fn has them off, and takes no lock that comes before the
 * context's.
 */
typedef void (*tally_context_fn)(struct tally_core_cpu *cpu, struct tally_core_context *context,
				 void *arg);
void tally_context_run(struct tally_core_context *context, tally_context_fn fn, void *arg);

/* The context of a task, made if it has none, and put on the CPU if the task runs; its family
 * locked, and pinned. -ENOMEM; -ESRCH: the task has exited. Where the machine may sleep. */
int tally_context_lock_task(struct tally_core *core, struct tally_core_task *task,
			    struct tally_core_context **ret_context);
void tally_context_unlock_task(struct tally_core_context *context);

/* One reference more; one less: the task's, an event's or a buffer's. The last one frees it. */
void tally_context_get(struct tally_core_context *context);
void tally_context_put(struct tally_core_context *context);

/* Put an event (INACTIVE or OFF; its leader set) into its context: A and F. */
void tally_context_insert(struct tally_core_cpu *cpu, struct tally_core_event *event);

/* Take it out and off its PMU. It becomes `state`: EXIT or DEAD. With `dissolve` it leaves its
 * group, which becomes single events if it led it; else the group can still be read. A and F. */
void tally_context_remove(struct tally_core_cpu *cpu, struct tally_core_event *event,
			  enum tally_state state, bool dissolve);

/* Take an event that is on no PMU out of its context's lists, and bring it into those of one that
 * is up to date; its group and state stay as they are. A and F. */
void tally_context_take(struct tally_core_event *event);
void tally_context_bring(struct tally_core_event *event);

/* Have an event that is in its context told of MUNMAPs too. A. */
void tally_context_want_munmap(struct tally_core_event *event);

/* The context no longer holds just what its origin holds. A. */
void tally_context_diverge(struct tally_core_context *context);

/* The context of a task as it is now, NULL when it has none. Pinned: it stays with its task (no
 * swap at a switch) until it is unpinned. F. */
struct tally_core_context *tally_context_pin_task(struct tally_core *core,
						  struct tally_core_task *task);
void tally_context_unpin(struct tally_core_context *context);

/* Where it is now, -1: on no CPU. Who puts it onto another afterwards sees what was written
 * before. */
int32_t tally_context_cpu(struct tally_core_context *context);

/* Run fn(arg) on that CPU with interrupts off, as ops->call() does: 0, or -ENXIO. Where there is
 * but one CPU this is it. */
int tally_cpu_call(struct tally_core *core, uint32_t cpu, void (*fn)(void *arg), void *arg);

/* Wait until the hooks that run now on that CPU (-1: none) have returned: what was unlinked before
 * nobody uses there afterwards. Runs what was deferred. */
void tally_cpu_quiesce(struct tally_core *core, int32_t cpu);

#endif
