/* SPDX-License-Identifier: BSD-2-Clause */
/* Signal handling for programs that use the whole terminal. */
#ifndef TALLY_CLI_BROWSER_SIGNALS_H
#define TALLY_CLI_BROWSER_SIGNALS_H

#include <stdbool.h>

/* Block SIGWINCH and the signals that request termination in all threads, and deliver them through
 * a descriptor, so that the terminal can be restored before exiting. Return the descriptor, or
 * -errno from signalfd(2). */
int tally_browser_signals_open(void);

/* Read pending signals. Return true if the terminal was resized. Set `*stop` if a signal requests
 * termination. */
bool tally_browser_signals_drain(int signals, bool *stop);

#endif
