/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts: the programs of tasks. */
#ifndef TALLY_HOSTS_SIM_SCRIPT_H
#define TALLY_HOSTS_SIM_SCRIPT_H

#include "hosts/sim/sim.h"

/* Report on `cpu` that kernel code was loaded or removed, as by tally_core_ksymbol(). */
void tally_sim_ksymbol(struct tally_sim *sim, uint32_t cpu, uint64_t addr, uint32_t len,
		       uint16_t type, bool gone, const char *name);

/* Have the task take this step now, outside its script; not RUN, LOOP or END_LOOP. A task that is
 * not running gets its CPU for this moment, with a context switch to it and one back, as for all
 * calls on behalf of a task. Returns -ENOMEM if a fork failed; -ESRCH if the task has exited. */
int tally_sim_execute(struct tally_sim *sim, struct tally_sim_task *task,
		      const struct tally_sim_step *step);

/* Wake a sleeping task. */
void tally_sim_wake(struct tally_sim *sim, struct tally_sim_task *task);

#endif
