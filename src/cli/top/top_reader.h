/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that reads records into the profile. */
#ifndef TALLY_CLI_TOP_READER_H
#define TALLY_CLI_TOP_READER_H

#include "cli/top/top.h"

/* Start the drainer and the reader. Returns 0, or -errno of eventfd(2) or pthread_create(3); call
 * top_reader_stop() in either case. */
int top_reader_start(struct top *top);

/* Stop both threads, wait for them, and free the queue. Called without top->lock. */
void top_reader_stop(struct top *top);

/* Refresh the profile immediately, not at the end of the interval. Called without top->lock. */
void top_reader_refresh(struct top *top);

#endif
