/* SPDX-License-Identifier: BSD-2-Clause */
/* A single measurement run. */
#ifndef TALLY_CLI_STAT_LOOP_H
#define TALLY_CLI_STAT_LOOP_H

#include "cli/stat/stat.h"

/* Start the command, if any, and count until the run ends. Also prints intervals. Returns 0, or
 * -errno after printing an error. */
int stat_run_once(struct stat_session *session);

#endif
