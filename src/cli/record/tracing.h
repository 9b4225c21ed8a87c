/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracing data of the tracepoints recorded. */
#ifndef TALLY_CLI_RECORD_TRACING_H
#define TALLY_CLI_RECORD_TRACING_H

#include "cli/record/record.h"

/* record_tracing.c: the tracing data of the tracepoints recorded. */
int record_tracing(struct record *record);

#endif
