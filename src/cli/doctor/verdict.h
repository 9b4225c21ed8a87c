/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_VERDICT_H
#define TALLY_CLI_DOCTOR_VERDICT_H

#include "cli/doctor/doctor.h"

/* Whether anything can be counted or sampled. (A verdict is a fact whose state is OK: works, WARN:
 * works partly, or BAD: does not.) */
bool doctor_works(const struct doctor *doctor);

#endif
