/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that its tasks run. */
#ifndef TALLY_HOSTS_SIM_SCRIPT_H
#define TALLY_HOSTS_SIM_SCRIPT_H

#include "hosts/sim/sim.h"

/* Kernel code came to be, or went, as tally_core_ksymbol() has it; noticed on `cpu`. */
void tally_sim_ksymbol(struct tally_sim *sim, uint32_t cpu, uint64_t addr, uint32_t len,
		       uint16_t type, bool gone, const char *name);

/* The task takes this step now, out of its script; not RUN, LOOP or END_LOOP. One that does not
 * run gets its CPU for this moment, with a context switch to it and one back, as with all that is
 * done in a task's name from outside. -ENOMEM: a fork that failed; -ESRCH: the task has ended. */
int tally_sim_do(struct tally_sim *sim, struct tally_sim_task *task,
		 const struct tally_sim_step *step);

/* Wake a task that sleeps. */
void tally_sim_wake(struct tally_sim *sim, struct tally_sim_task *task);

#endif
