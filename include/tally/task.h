/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The structure that a host embeds in each of its tasks, and the types that the structure needs. A
 * scheduler's header can include this file without host.h and core.h.
 */
#ifndef TALLY_TASK_H
#define TALLY_TASK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One of the core's spin locks, inside an object that the host embeds. An all-zero lock is free. */
struct tally_spin {
	uint32_t held;
};

/* A count of locked pages. A host has one account for each user (for all of the user's buffers) and
 * one for each address space (for pages beyond the user's share). The host zero-initializes the
 * account; after that only the core changes it. The account must stay at its address until every
 * buffer charged to it is unmapped, that is, until the account is zero again and no task that
 * refers to it can call tally_core_mmap(). */
struct tally_core_account {
	uint64_t locked_pages;
};

struct tally_core_event;
struct tally_core_context;
struct tally_core_family;

/* The part of a task (thread) that belongs to the core. The host embeds it in its task structure.
 */
struct tally_core_task {
	/* Set by the host. `pid` is the ID of the process and `tid` that of the thread. Both are
	 * unique on the machine, regardless of the task's IDs in namespaces (ops->ids()). `user`
	 * and `space` are the accounts to which locked pages are charged, or NULL if they are not
	 * accounted. */
	int32_t pid, tid;
	/* IDs of the creator, for EXIT records. tally_core_fork() sets them; the host changes them
	 * when the task is reparented. */
	int32_t ppid, ptid;
	struct tally_core_account *user, *space;
	/* The namespace in which the task sees task IDs, passed to ops->ids(). The host keeps
	 * the namespace alive while an event that this task opened is open. */
	void *viewer;
	/* Private to the core. */
	struct tally_spin lock;             /* protects context, family, execs and exited */
	struct tally_core_context *context; /* NULL while no event is attached to the task */
	struct tally_core_family *family;   /* the family of `context` */
	struct tally_core_event *owned;     /* events that this task opened */
	uint32_t last_cpu;                  /* for cpu-migrations; UINT32_MAX before first run */
	uint32_t epoch;                     /* the core's epoch in which last_cpu was set */
	uint32_t execs;                     /* number of exec calls that raised privileges */
	bool exited;
	/* Set only in the temporary task that tally_core_reap() builds from the context of an
	 * exited task; NULL in the host's tasks. */
	const struct tally_core_context *left_by;
};

#ifdef __cplusplus
}
#endif

#endif
