/* SPDX-License-Identifier: BSD-2-Clause */
/* Its state as text. */
#ifndef TALLY_HOSTS_SIM_TEXT_H
#define TALLY_HOSTS_SIM_TEXT_H

#include "hosts/sim/sim.h"

/* A step in words, as it would be written in a script. Bytes that all of it takes. */
size_t tally_sim_step_text(const struct tally_sim_step *step, char *to, size_t size);

#endif
