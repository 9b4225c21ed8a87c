/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_RECORD_DRAIN_H
#define TALLY_CLI_RECORD_DRAIN_H

#include "cli/record/record.h"

/* Write out the ring contents and end the round. With `is_all`, also write the overwrite rings and
 * all records still waiting to be unwound. Returns 0 or the write error. */
int record_drain(struct record *record, bool is_all);

#endif
