/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the machine as text. */
#ifndef TALLY_HOSTS_SIM_TEXT_H
#define TALLY_HOSTS_SIM_TEXT_H

#include "hosts/sim/sim.h"

/* Write a step as in the source of a script. Returns the length of the whole text, even if it was
 * truncated. */
size_t tally_sim_step_text(const struct tally_sim_step *step, char *to, size_t size);

#endif
