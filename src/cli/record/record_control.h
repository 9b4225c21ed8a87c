/* SPDX-License-Identifier: BSD-2-Clause */
/* --control: enable, disable, snapshot, stop. */
#ifndef TALLY_CLI_RECORD_CONTROL_H
#define TALLY_CLI_RECORD_CONTROL_H

#include "cli/record/record.h"

/* Open the descriptors named by --control; without that option, do nothing. Returns 0, or the error
 * of tally_control_open(), which has been reported. */
int record_control_open(struct record *record);

/* Execute and acknowledge all complete commands received; warn of unknown ones. Returns 0, or the
 * error of enabling or disabling the counters. */
int record_control_read(struct record *record);

#endif
