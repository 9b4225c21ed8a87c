/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_VERDICT_H
#define TALLY_CLI_DOCTOR_VERDICT_H

#include "cli/doctor/doctor.h"

/* Return true if anything can be counted or sampled. (Verdicts are facts as well. Their state is OK
 * if the feature works, WARN if it partly works, and BAD if it does not work.) */
bool doctor_works(const struct doctor *doctor);

#endif
