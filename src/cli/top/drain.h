/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that drains the rings. */
#ifndef TALLY_CLI_TOP_DRAIN_H
#define TALLY_CLI_TOP_DRAIN_H

#include "cli/top/top.h"

/* What the drainer runs, for pthread_create(3); `top` is a struct top. Moves records from the rings
 * to the queue in the order of time until all events have ended or `halt` is set, and leaves in the
 * queue whether it ended by an error. NULL. */
void *top_drain_main(void *top);

#endif
