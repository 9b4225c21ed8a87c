/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording itself. */
#ifndef TALLY_CLI_RECORD_LOOP_H
#define TALLY_CLI_RECORD_LOOP_H

#include "cli/record/record.h"

/* record_loop.c */
int record_run(struct record *record);

#endif
