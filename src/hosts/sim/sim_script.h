/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts: the programs that tasks execute. */
#ifndef TALLY_HOSTS_SIM_SCRIPT_H
#define TALLY_HOSTS_SIM_SCRIPT_H

#include "hosts/sim/sim.h"

/* Report, on `cpu`, that kernel code has been loaded or removed, as with tally_core_ksymbol(). */
void tally_sim_ksymbol(struct tally_sim *sim, uint32_t cpu, uint64_t addr, uint32_t len,
		       uint16_t type, bool gone, const char *name);

/* Execute a step of the task immediately, outside its script. RUN, LOOP and END_LOOP are not
 * allowed. If the task is not running, its CPU switches to it and back, as for all calls on behalf
 * of a task. Returns -ENOMEM if a fork failed, or -ESRCH if the task has exited. */
int tally_sim_execute(struct tally_sim *sim, struct tally_sim_task *task,
		      const struct tally_sim_step *step);

/* Wake a sleeping task. */
void tally_sim_wake(struct tally_sim *sim, struct tally_sim_task *task);

#endif
