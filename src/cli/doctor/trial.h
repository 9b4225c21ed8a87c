/* SPDX-License-Identifier: BSD-2-Clause */
/* Try what commands do. */
#ifndef TALLY_CLI_DOCTOR_TRIAL_H
#define TALLY_CLI_DOCTOR_TRIAL_H

#include "cli/doctor/doctor.h"

/* Open, map and close what the commands would, and store the results in `doctor`. */
void doctor_trials(struct doctor *doctor);

#endif
