/* SPDX-License-Identifier: BSD-2-Clause */
/* Print findings as text and as JSON. */
#ifndef TALLY_CLI_DOCTOR_PRINT_H
#define TALLY_CLI_DOCTOR_PRINT_H

#include "cli/doctor/doctor.h"
#include "cli/doctor/facts.h"

/* Print all lines in order to stdout. Return 0, -ENOMEM, or the write error. */
int doctor_print_text(const struct doctor *doctor, const struct doctor_line *lines, size_t nr);

int doctor_print_json(const struct doctor *doctor, const struct doctor_line *lines, size_t nr);

#endif
