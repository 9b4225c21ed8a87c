/* SPDX-License-Identifier: BSD-2-Clause */
/* Trials of the operations that commands perform. */
#ifndef TALLY_CLI_DOCTOR_TRIAL_H
#define TALLY_CLI_DOCTOR_TRIAL_H

#include "cli/doctor/doctor.h"

/* Open, map and close the events that the commands would open, and store the results in
 * `doctor`. */
void doctor_trials(struct doctor *doctor);

#endif
