/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_HOSTS_SIM_LOOP_H
#define TALLY_HOSTS_SIM_LOOP_H

#include "hosts/sim/sim.h"

/* Run the machine for `ns` nanoseconds. */
void tally_sim_run(struct tally_sim *sim, uint64_t ns);

/* Run until the task has exited. Returns false if `limit_ns` pass first. */
bool tally_sim_run_until_exit(struct tally_sim *sim, const struct tally_sim_task *task,
			      uint64_t limit_ns);

#endif
