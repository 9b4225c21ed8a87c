/* SPDX-License-Identifier: BSD-2-Clause */
/* Print the profile as text at every refresh (--stdio). */
#ifndef TALLY_CLI_TOP_STDIO_H
#define TALLY_CLI_TOP_STDIO_H

#include "cli/top/top.h"

/* Print the rows at every refresh and handle keys until tally top terminates, then print the
 * reason. `signals` is a signalfd. Returns 0 or -errno. */
int top_stdio_run(struct top *top, int signals);

#endif
