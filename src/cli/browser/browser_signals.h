/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of programs that use the whole terminal. */
#ifndef TALLY_CLI_BROWSER_SIGNALS_H
#define TALLY_CLI_BROWSER_SIGNALS_H

#include <stdbool.h>

/* Block the signals in all threads and deliver them through a descriptor, so that the terminal can
 * be restored before exiting. Returns the descriptor, or -errno of signalfd(2). */
int tally_browser_signals_open(void);

/* Read pending signals. Returns true if the terminal was resized; sets `*stop` on a request to
 * exit. */
bool tally_browser_signals_drain(int signals, bool *stop);

#endif
