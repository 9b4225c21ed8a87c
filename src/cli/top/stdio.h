/* SPDX-License-Identifier: BSD-2-Clause */
/* As text. */
#ifndef TALLY_CLI_TOP_STDIO_H
#define TALLY_CLI_TOP_STDIO_H

#include "cli/top/top.h"

/* Ways to show it; until its end, which is told. 0 or -errno. `signals`: signalfd. */
int top_stdio_run(struct top *top, int signals);

#endif
