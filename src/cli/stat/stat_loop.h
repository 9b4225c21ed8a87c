/* SPDX-License-Identifier: BSD-2-Clause */
/* A single run. */
#ifndef TALLY_CLI_STAT_LOOP_H
#define TALLY_CLI_STAT_LOOP_H

#include "cli/stat/stat.h"

/* Start the command if there is one, count, wait for the end, and print intervals. Returns 0, or
 * -errno after an error message. */
int stat_run_once(struct stat_session *session);

#endif
