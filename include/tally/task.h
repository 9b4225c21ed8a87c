/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The structure that a host embeds in each of its tasks, and the types that it needs. A scheduler's
 * header can include this file without host.h and core.h.
 */
#ifndef TALLY_TASK_H
#define TALLY_TASK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A spin lock of the core inside an object that the host embeds. Zero-initialized, it is free. */
struct tally_spin {
	uint32_t held;
};

/* The number of locked pages charged to one payer. A host has one account for each user (for all of
 * the user's buffers) and one for each address space (for pages beyond the user's share). The host
 * zero-initializes the account; after that only the core changes it. The account must stay at its
 * address until every buffer charged to it is unmapped: that is, until it is zero again and no task
 * that refers to it can call tally_core_mmap(). */
struct tally_core_account {
	uint64_t locked_pages;
};

struct tally_core_event;
struct tally_core_context;
struct tally_core_family;

/* The part of a task (thread) that belongs to the core. The host embeds it in its task structure.
 */
struct tally_core_task {
	/* Set by the host. `pid` is the number of the process and `tid` that of the thread. Both
	 * are unique on the machine, whatever numbers they have in namespaces (ops->ids()). `user`
	 * and `space` are the accounts that pay for locked pages; NULL if they are not accounted.
	 */
	int32_t pid, tid;
	int32_t ppid, ptid; /* ids of the creator, for EXIT records. tally_core_fork() sets them;
	                     * the host changes them when the task gets another parent */
	struct tally_core_account *user, *space;
	void *viewer; /* the namespace in which the task sees task ids, passed to ops->ids(). The
	               * host keeps it alive while an event is open that this task opened */
	/* Private to the core. */
	struct tally_spin lock;             /* protects the next two, execs and exited */
	struct tally_core_context *context; /* NULL while no event is attached to the task */
	struct tally_core_family *family;   /* the family of that context */
	struct tally_core_event *owned;     /* events that this task opened */
	uint32_t last_cpu;                  /* for cpu-migrations; UINT32_MAX: has not run yet */
	uint32_t epoch;                     /* the core's epoch in which last_cpu was set */
	uint32_t execs;                     /* number of exec calls that raised privileges */
	bool exited;
	/* Set only in the temporary task that tally_core_reap() builds from the context of an ended
	 * task; NULL in the host's tasks. */
	const struct tally_core_context *left_by;
};

#ifdef __cplusplus
}
#endif

#endif
