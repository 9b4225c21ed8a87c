/* SPDX-License-Identifier: BSD-2-Clause */
/* What the simulated machine knows to be true. */
#ifndef TALLY_HOSTS_SIM_TRUTH_H
#define TALLY_HOSTS_SIM_TRUTH_H

#include "hosts/sim/sim.h"

/* Events of a signal since the machine was made, up to now. */
uint64_t tally_sim_truth(struct tally_sim *sim, struct tally_sim_filter filter, unsigned signal);

#endif
