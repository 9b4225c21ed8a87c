/* SPDX-License-Identifier: BSD-2-Clause */
/* The --control option: commands to enable, disable, snapshot or stop a recording. */
#ifndef TALLY_CLI_RECORD_CONTROL_H
#define TALLY_CLI_RECORD_CONTROL_H

#include "cli/record/record.h"

/* Open the descriptors named by --control, if that option was given. Returns 0, or the error from
 * tally_control_open(), which has been reported. */
int record_control_open(struct record *record);

/* Execute and acknowledge all complete commands received, and warn about unknown ones. Returns 0,
 * or the error from enabling or disabling the counters. */
int record_control_read(struct record *record);

#endif
