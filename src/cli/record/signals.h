/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_RECORD_SIGNALS_H
#define TALLY_CLI_RECORD_SIGNALS_H

#include "cli/record/record.h"

/* Have signals come through `record->signals`. 0 or -errno of signalfd(2). */
int record_signals_open(struct record *record);

/* Read those that came, and note in `record` what they ask for. */
void record_signals_read(struct record *record);

#endif
