/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that drains the rings. */
#ifndef TALLY_CLI_TOP_TAKE_H
#define TALLY_CLI_TOP_TAKE_H

#include "cli/top/top.h"

/* top_take.c: the thread that takes. */
void *top_take_main(void *top);

#endif
