/* SPDX-License-Identifier: BSD-2-Clause */
/* From options to settings of the tracer. */
#ifndef TALLY_CLI_FTRACE_SETUP_H
#define TALLY_CLI_FTRACE_SETUP_H

#include "cli/ftrace/ftrace.h"

/* Open the tracer and set it up. The command, if there is one, is forked and held before its exec.
 * 0 or -errno, which was told. */
int ftrace_setup(struct ftrace_session *session);

#endif
