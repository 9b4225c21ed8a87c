/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that the kernel removed while the command was running. */
#ifndef TALLY_CLI_STAT_REMOVED_H
#define TALLY_CLI_STAT_REMOVED_H

#include "cli/stat/stat.h"

/* Mark counts that are incomplete because the kernel removed the events. It removes the events of a
 * task that executes a set-uid program or a program that the user cannot read, so what the task
 * does from then on is not counted. If the command itself is such a program, its counts become "not
 * counted" and a warning gives the reason. Children of the command are not checked, because
 * processes that end early miss some time as well. Call this after reading the counts of a complete
 * run. */
void stat_removed_check(struct stat_session *session);

#endif
