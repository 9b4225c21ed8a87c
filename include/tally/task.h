/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a host embeds in its task, and what goes with it: all that the header of a scheduler needs
 * of the core. host.h and core.h have the rest.
 */
#ifndef TALLY_TASK_H
#define TALLY_TASK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A spin lock of the core's, in objects that the host embeds. Zero: free. */
struct tally_spin {
	uint32_t held;
};

/* Pages locked by somebody: one for each user (all his buffers) and one for each address
 * space (what exceeds the user's share). Zero-initialized by the host, the core's afterwards. It
 * stays where it is until every buffer that it pays for is unmapped: that is, until it is zero
 * again and no task that names it can call tally_core_mmap(). */
struct tally_core_account {
	uint64_t locked_pages;
};

struct tally_core_event;
struct tally_core_context;
struct tally_core_family;

/* What the host embeds in its task (thread). */
struct tally_core_task {
	/* The host's: pid is the process', tid the thread's, each unique on the machine, whatever
	 * numbers namespaces have for them (ops->ids()); `user` and `space` are who pays
	 * for locked pages, NULL where nobody counts. */
	int32_t pid, tid;
	int32_t ppid, ptid; /* of who made it, for EXIT records; set by tally_core_fork(), to be
			     * changed when another task takes its place */
	struct tally_core_account *user, *space;
	void *viewer; /* the namespace that it sees numbers of tasks in, for ops->ids(); the host
		       * keeps it while an event is open that the task opened */
	/* The core's. */
	struct tally_spin lock;             /* the next two, execs and exited */
	struct tally_core_context *context; /* NULL while no event is attached to it */
	struct tally_core_family *family;   /* its context's */
	struct tally_core_event *owned;     /* the events it opened */
	uint32_t last_cpu;                  /* for cpu-migrations; UINT32_MAX: never ran */
	uint32_t epoch;                     /* of the core, when last_cpu was right */
	uint32_t execs;                     /* programs of more rights that it executed */
	bool exited;
	/* Made up of what a task left, by tally_core_reap(); NULL: the host's own. */
	const struct tally_core_context *left_by;
};

#ifdef __cplusplus
}
#endif

#endif
