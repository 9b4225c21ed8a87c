/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that drains the ring buffers. */
#ifndef TALLY_CLI_TOP_DRAIN_H
#define TALLY_CLI_TOP_DRAIN_H

#include "cli/top/top.h"

/* Start function for pthread_create(3); `top` is a struct top. Moves records from the ring buffers
 * to the queue in chronological order until all events have been destroyed or `halt` is set. Errors
 * are reported through the queue. Returns NULL. */
void *top_drain_main(void *top);

#endif
