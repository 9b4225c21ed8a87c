/* SPDX-License-Identifier: BSD-2-Clause */
/* Format parts of the machine as text. */
#ifndef TALLY_HOSTS_SIM_TEXT_H
#define TALLY_HOSTS_SIM_TEXT_H

#include "hosts/sim/sim.h"

/* Format a step as in a script's source code. Returns the length of the whole string, even if it
 * was truncated. */
size_t tally_sim_step_text(const struct tally_sim_step *step, char *to, size_t size);

#endif
