/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways into the core: hooks, and what is done in a task's name. */
#ifndef TALLY_HOSTS_SIM_ENTRY_H
#define TALLY_HOSTS_SIM_ENTRY_H

#include "hosts/sim/sim_private.h"

/* The hooks run with interrupts off: around each. */
void sim_hook_begin(struct tally_sim *sim, uint32_t cpu);
void sim_hook_end(struct tally_sim *sim);

/* Something done in a task's name. It runs on its CPU; one that was not running is
 * switched to, and away from again at the end. */
struct sim_call {
	uint32_t before; /* the CPU whose code ran */
	uint32_t cpu;
	struct tally_sim_task *task;
	struct tally_sim_task *out; /* switched away from; NULL: the task was running */
};
struct sim_call sim_call_begin(struct tally_sim *sim, struct tally_sim_task *task);
void sim_call_end(struct tally_sim *sim, struct sim_call *call);

#endif
