/* SPDX-License-Identifier: BSD-2-Clause */
/* --control: enable, disable, snapshot, stop. */
#ifndef TALLY_CLI_RECORD_CONTROL_H
#define TALLY_CLI_RECORD_CONTROL_H

#include "cli/record/record.h"

/* Open what --control names; without that option do nothing. 0, or the error of
 * tally_control_open(), which was told. */
int record_control_open(struct record *record);

/* Carry out all commands that have come whole, and acknowledge them; unknown ones are warned of. 0,
 * or the error of enabling or disabling the counters. */
int record_control_read(struct record *record);

#endif
