/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that adds queued records to the profile. */
#ifndef TALLY_CLI_TOP_READER_H
#define TALLY_CLI_TOP_READER_H

#include "cli/top/top.h"

/* Start the drainer and the reader. Returns 0 or the -errno from eventfd(2) or pthread_create(3).
 * Call top_reader_stop() in either case. */
int top_reader_start(struct top *top);

/* Stop both threads, wait for them, and free the queue. Called without holding top->lock. */
void top_reader_stop(struct top *top);

/* Refresh the profile immediately instead of at the end of the interval. Called without holding
 * top->lock. */
void top_reader_refresh(struct top *top);

#endif
