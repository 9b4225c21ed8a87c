/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_CLI_TOP_END_H
#define TALLY_CLI_TOP_END_H

#include "cli/top/top.h"

/* Have signals come through a descriptor, blocked in all threads, so that the terminal is put in
 * order before we end. The descriptor, or -errno of signalfd(2). */
int top_signals_open(void);

/* Print why it ended, if that is not what was asked for. `ret` is what ended it; 0, or the error
 * that the command ends with. */
int top_explain_end(struct top *top, int ret);

/* Read what came: true when the terminal's size changed; `*stop` becomes true when we are to end.
 */
bool top_drain_signals(int signals, bool *stop);

#endif
