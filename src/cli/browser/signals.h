/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of who shows something on a terminal until somebody ends it. */
#ifndef TALLY_CLI_BROWSER_SIGNALS_H
#define TALLY_CLI_BROWSER_SIGNALS_H

#include <stdbool.h>

/* Have signals come through a descriptor, blocked in all threads, so that the terminal is put in
 * order before we end. The descriptor, or -errno of signalfd(2). */
int tally_browser_signals_open(void);

/* Read what came: true when the terminal's size changed; `*stop` becomes true when we are to end.
 */
bool tally_browser_signals_drain(int signals, bool *stop);

#endif
