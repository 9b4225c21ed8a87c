/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that reads records into the profile. */
#ifndef TALLY_CLI_TOP_READER_H
#define TALLY_CLI_TOP_READER_H

#include "cli/top/top.h"

/* top_reader.c */
int top_reader_start(struct top *top);

void top_reader_stop(struct top *top);

/* Refresh now, not later. The caller does not hold the lock. */
void top_reader_refresh(struct top *top);

#endif
