/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that drains the rings. */
#ifndef TALLY_CLI_TOP_DRAIN_H
#define TALLY_CLI_TOP_DRAIN_H

#include "cli/top/top.h"

/* top_drain.c: the thread that takes. */
void *top_drain_main(void *top);

#endif
