/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_RIGHTS_H
#define TALLY_CLI_DOCTOR_RIGHTS_H

#include "cli/doctor/doctor.h"

/* What perf_event_open said, in words: the error `code`, or that it kills who calls it. */
const char *doctor_answer(const struct doctor *doctor, int code);

#endif
