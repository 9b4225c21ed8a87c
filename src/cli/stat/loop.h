/* SPDX-License-Identifier: BSD-2-Clause */
/* One run. */
#ifndef TALLY_CLI_STAT_LOOP_H
#define TALLY_CLI_STAT_LOOP_H

#include "cli/stat/stat.h"

/* Start the command if there is one, count, wait, print intervals. 0 or -errno, said. */
int stat_run_once(struct stat_session *session);

#endif
