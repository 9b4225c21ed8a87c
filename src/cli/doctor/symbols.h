/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_DOCTOR_SYMBOLS_H
#define TALLY_CLI_DOCTOR_SYMBOLS_H

#include "cli/doctor/doctor.h"

/* Find out whether tracepoints can be found by name, and functions be traced; what stands against
 * it is part of the result. */
void doctor_tracefs_find(struct doctor_tracefs *ret_tracefs);

#endif
