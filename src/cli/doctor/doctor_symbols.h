/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_SYMBOLS_H
#define TALLY_CLI_DOCTOR_SYMBOLS_H

#include "cli/doctor/doctor.h"

/* Determine whether tracepoints can be used by name and whether functions can be traced. If not,
 * the results include the reason. */
void doctor_tracefs_find(struct doctor_tracefs *ret_tracefs);

#endif
