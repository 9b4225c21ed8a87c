/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks of the running kernel that do as they are told: each waits on its mailbox in memory that
 * all of them share, and that survives exec. Descriptors are shared too, as with CLONE_FILES.
 */
#ifndef TALLY_TESTS_DIFFERENTIAL_LINUX_TASK_H
#define TALLY_TESTS_DIFFERENTIAL_LINUX_TASK_H

#include <stdatomic.h>

#include "system.h"

/* What tasks do beyond enum system_act. */
enum { TASK_OPEN = SYSTEM_NR_ACTS, TASK_PRCTL, TASK_REAP };

struct task_order {
	int what; /* enum system_act, or above */
	int64_t a, b, c;
	int64_t result;
	char text[32];
	uint8_t attr[SYSTEM_ATTR_BYTES]; /* TASK_OPEN; flags behind it */
	unsigned long flags;
};

struct task_mailbox {
	_Atomic uint32_t state; /* enum mailbox_state: the futex */
	int32_t pid, tid, parent;
	bool alive;
	struct task_order order;
};

struct task_world {
	int memory_fd;
	int map_fd; /* the file that ACT_MAP maps */
	struct task_mailbox box[SYSTEM_TASKS];
};

/* Shared memory for tasks; NULL on failure. */
struct task_world *task_world_new(void);

/* What ACT_STORE stores to, and ACT_EXECUTE executes. */
uint64_t task_watched(void);
uint64_t task_watched_code(void);

/* Have task `number` do what its mailbox' order says; 0 is the caller. Its result. */
int64_t task_do(struct task_world *world, int number);

/* If argv is that of a program that ACT_EXEC started, take orders for ever. */
void task_take_up(int argc, char **argv);

#endif
