/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tasks on the running kernel that execute orders. Each task waits for orders at its mailbox, in
 * memory that all tasks share and that survives exec. Tasks also share their descriptors, as with
 * CLONE_FILES.
 */
#ifndef TALLY_TESTS_DIFFERENTIAL_LINUX_TASK_H
#define TALLY_TESTS_DIFFERENTIAL_LINUX_TASK_H

#include <stdatomic.h>

#include "system.h"

/* Orders in addition to enum system_act. */
enum { TASK_OPEN = SYSTEM_NR_ACTS, TASK_PRCTL, TASK_REAP };

struct task_order {
	int what; /* enum system_act, or one of the above */
	int64_t a, b, c;
	int64_t result;
	char text[32];
	uint8_t attr[SYSTEM_ATTR_BYTES]; /* only for TASK_OPEN, like `flags` */
	unsigned long flags;
};

struct task_mailbox {
	_Atomic uint32_t state; /* enum mailbox_state; used as a futex */
	int32_t pid, tid, parent;
	bool alive;
	struct task_order order;
};

struct task_world {
	int memory_fd;
	int map_fd; /* file mapped by ACT_MAP */
	struct task_mailbox box[SYSTEM_TASKS];
};

/* Create the tasks' shared memory. Returns NULL on failure. */
struct task_world *task_world_new(void);

/* Return the address used by ACT_STORE and ACT_LOAD, or by ACT_EXECUTE. */
uint64_t task_watched(void);
uint64_t task_watched_code(void);

/* Have task `number` (0 is the caller) execute the order in its mailbox, and return the result. */
int64_t task_do(struct task_world *world, int number);

/* If argv belongs to a program started by ACT_EXEC, execute orders and do not return. */
void task_take_up(int argc, char **argv);

#endif
