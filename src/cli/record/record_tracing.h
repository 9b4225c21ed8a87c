/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracing data of recorded tracepoints. */
#ifndef TALLY_CLI_RECORD_TRACING_H
#define TALLY_CLI_RECORD_TRACING_H

#include "cli/record/record.h"

/* Pass the formats of the recorded tracepoints, and other data from tracefs, to the writer. Does
 * nothing without tracepoints. Returns 0, the error from locating tracefs, -ENOMEM, or the writer's
 * error. */
int record_tracing(struct record *record);

#endif
