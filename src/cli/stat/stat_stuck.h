/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts that are 0 because the event never occurs on this machine. */
#ifndef TALLY_CLI_STAT_STUCK_H
#define TALLY_CLI_STAT_STUCK_H

#include "cli/stat/stat.h"

/* Warn about events that counted 0 everywhere, if they can be opened but never occur on this
 * machine. Mark their rows. */
void stat_stuck_check(struct stat_session *session);

#endif
