/* SPDX-License-Identifier: BSD-2-Clause */
/* --control: enable, disable, snapshot, stop. */
#ifndef TALLY_CLI_RECORD_CONTROL_H
#define TALLY_CLI_RECORD_CONTROL_H

#include "cli/record/record.h"

/* record_control.c */
int record_control_open(struct record *record);

int record_control_read(struct record *record);

#endif
