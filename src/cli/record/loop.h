/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording itself. */
#ifndef TALLY_CLI_RECORD_LOOP_H
#define TALLY_CLI_RECORD_LOOP_H

#include "cli/record/record.h"

/* Record until the command or the tasks end, --control or a signal says so, or the size that was
 * asked for is reached. 0; the error of waiting, of writing or of the next file. */
int record_run(struct record *record);

#endif
