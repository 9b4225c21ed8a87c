/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that reads records into the profile. */
#ifndef TALLY_CLI_TOP_READER_H
#define TALLY_CLI_TOP_READER_H

#include "cli/top/top.h"

/* Start the drainer and the reader. 0; -errno of eventfd(2) or pthread_create(3);
 * top_reader_stop() in any case. */
int top_reader_start(struct top *top);

/* Have both threads end, wait for them, and free the queue. The caller does not hold the lock. */
void top_reader_stop(struct top *top);

/* Have the profile refreshed at once, not when the interval is over. The caller does not hold the
 * lock. */
void top_reader_refresh(struct top *top);

#endif
