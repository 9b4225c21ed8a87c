/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_RIGHTS_H
#define TALLY_CLI_DOCTOR_RIGHTS_H

#include "cli/doctor/doctor.h"

/* Describe the result of perf_event_open: the error `code`, or the fact that the call kills its
 * caller. */
const char *doctor_answer(const struct doctor *doctor, int code);

#endif
