/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry into the core: hooks, and calls on behalf of a task. */
#ifndef TALLY_HOSTS_SIM_ENTRY_H
#define TALLY_HOSTS_SIM_ENTRY_H

#include "hosts/sim/sim_private.h"

/* Begin and end a hook. Hooks run with interrupts off. */
void sim_hook_begin(struct tally_sim *sim, uint32_t cpu);
void sim_hook_end(struct tally_sim *sim);

/* A call on behalf of a task. It runs on the task's CPU. A task that is not running is switched to,
 * and away from again at the end. */
struct sim_call {
	uint32_t before; /* CPU that was current */
	uint32_t cpu;
	struct tally_sim_task *task;
	struct tally_sim_task *out; /* task switched away from; NULL: `task` was running */
};
struct sim_call sim_call_begin(struct tally_sim *sim, struct tally_sim_task *task);
void sim_call_end(struct tally_sim *sim, struct sim_call *call);

#endif
