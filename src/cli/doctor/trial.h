/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a command gets. */
#ifndef TALLY_CLI_DOCTOR_TRIAL_H
#define TALLY_CLI_DOCTOR_TRIAL_H

#include "cli/doctor/doctor.h"

/* Open, map and close what the commands would. */
void doctor_trials(struct doctor *doctor);

#endif
