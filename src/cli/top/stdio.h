/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile as text, again and again, as --stdio has it. */
#ifndef TALLY_CLI_TOP_STDIO_H
#define TALLY_CLI_TOP_STDIO_H

#include "cli/top/top.h"

/* Print the rows at every refresh, and obey keys, until the end, which is told. `signals` is a
 * signalfd. 0 or -errno. */
int top_stdio_run(struct top *top, int signals);

#endif
