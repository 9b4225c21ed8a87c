/* SPDX-License-Identifier: BSD-2-Clause */
/* The main loop of a recording. */
#ifndef TALLY_CLI_RECORD_LOOP_H
#define TALLY_CLI_RECORD_LOOP_H

#include "cli/record/record.h"

/* Record until the command or the tasks end, until --control or a signal requests the end, or until
 * a size or time limit is reached. Returns 0, or the error of waiting, of writing, or of opening
 * the next file. */
int record_run(struct record *record);

#endif
