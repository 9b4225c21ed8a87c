/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_RECORD_SIGNALS_H
#define TALLY_CLI_RECORD_SIGNALS_H

#include "cli/record/record.h"

/* Receive signals through `record->signals`. Returns 0 or the -errno of signalfd(2). */
int record_signals_open(struct record *record);

/* Read pending signals and record their requests in `record`. */
void record_signals_read(struct record *record);

#endif
