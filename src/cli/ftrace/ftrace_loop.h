/* SPDX-License-Identifier: BSD-2-Clause */
/* The main loop: read the trace pipe until tracing ends. */
#ifndef TALLY_CLI_FTRACE_LOOP_H
#define TALLY_CLI_FTRACE_LOOP_H

#include "cli/ftrace/ftrace.h"

/* Trace until the command or the tasks exit or a signal arrives, and process all recorded data.
 * Return 0, or print an error and return -errno. */
int ftrace_loop(struct ftrace_session *session);

#endif
