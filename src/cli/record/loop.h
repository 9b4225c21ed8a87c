/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording itself. */
#ifndef TALLY_CLI_RECORD_LOOP_H
#define TALLY_CLI_RECORD_LOOP_H

#include "cli/record/record.h"

/* record_loop.c */
int record_run(struct record *record);

/* Write out what the rings hold; of overwrite rings only with `overwrite`. */
int record_drain(struct record *record, bool overwrite);

#endif
