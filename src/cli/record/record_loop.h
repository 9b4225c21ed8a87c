/* SPDX-License-Identifier: BSD-2-Clause */
/* The main loop of a recording. */
#ifndef TALLY_CLI_RECORD_LOOP_H
#define TALLY_CLI_RECORD_LOOP_H

#include "cli/record/record.h"

/* Record until the command or the tasks exit, until --control or a signal requests termination, or
 * until a size or time limit is reached. Returns 0, or an error from polling, from writing, or from
 * opening the next file. */
int record_run(struct record *record);

#endif
