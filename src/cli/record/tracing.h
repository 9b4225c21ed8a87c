/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracing data of the tracepoints recorded. */
#ifndef TALLY_CLI_RECORD_TRACING_H
#define TALLY_CLI_RECORD_TRACING_H

#include "cli/record/record.h"

/* Hand the formats of the tracepoints that are recorded, and what else tracefs says about them, to
 * the writer; nothing without tracepoints. 0; the error of finding tracefs; -ENOMEM; the error of
 * the writer. */
int record_tracing(struct record *record);

#endif
