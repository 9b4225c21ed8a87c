/* SPDX-License-Identifier: BSD-2-Clause */
/* Apply the options to the tracer. */
#ifndef TALLY_CLI_FTRACE_SETUP_H
#define TALLY_CLI_FTRACE_SETUP_H

#include "cli/ftrace/ftrace.h"

/* Open the tracer and configure it. The command, if there is one, is forked and held before its
 * exec. Return 0, or print an error and return -errno. */
int ftrace_setup(struct ftrace_session *session);

#endif
