/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry points to the core: hooks, and calls on behalf of a task. */
#ifndef TALLY_HOSTS_SIM_ENTRY_H
#define TALLY_HOSTS_SIM_ENTRY_H

#include "hosts/sim/sim_private.h"

/* Begin or end a hook. Hooks run with interrupts off. */
void sim_hook_begin(struct tally_sim *sim, uint32_t cpu);
void sim_hook_end(struct tally_sim *sim);

/* A call on behalf of a task. It runs on the task's CPU. If the task is not running, the CPU
 * switches to the task, and switches back at the end of the call. */
struct sim_call {
	uint32_t before; /* previous current CPU */
	uint32_t cpu;
	struct tally_sim_task *task;
	struct tally_sim_task *out; /* task switched out for the call, or NULL */
};
struct sim_call sim_call_begin(struct tally_sim *sim, struct tally_sim_task *task);
void sim_call_end(struct tally_sim *sim, struct sim_call *call);

#endif
