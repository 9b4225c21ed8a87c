/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact counts in the simulated machine. */
#ifndef TALLY_HOSTS_SIM_TRUTH_H
#define TALLY_HOSTS_SIM_TRUTH_H

#include "hosts/sim/sim.h"

/* Return the number of events of a signal since the machine was created. */
uint64_t tally_sim_truth(struct tally_sim *sim, struct tally_sim_filter filter, unsigned signal);

#endif
