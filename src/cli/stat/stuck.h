/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of 0 of events that never happen here. */
#ifndef TALLY_CLI_STAT_STUCK_H
#define TALLY_CLI_STAT_STUCK_H

#include "cli/stat/stat.h"

/* Warn of events that counted 0 everywhere and are of a kind that opens here and never happens, and
 * note it in their rows. */
void stat_stuck_check(struct stat_session *session);

#endif
