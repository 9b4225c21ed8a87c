/* SPDX-License-Identifier: BSD-2-Clause */
/* While it traces: what comes out of the pipe, and what ends it. */
#ifndef TALLY_CLI_FTRACE_LOOP_H
#define TALLY_CLI_FTRACE_LOOP_H

#include "cli/ftrace/ftrace.h"

/* Trace until the command or the tasks end, or a signal comes, and take in all that was recorded.
 * 0 or -errno, which was told. */
int ftrace_loop(struct ftrace_session *session);

#endif
