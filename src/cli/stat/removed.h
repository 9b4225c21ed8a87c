/* SPDX-License-Identifier: BSD-2-Clause */
/* Handle events that the kernel removed while the command was running. */
#ifndef TALLY_CLI_STAT_REMOVED_H
#define TALLY_CLI_STAT_REMOVED_H

#include "cli/stat/stat.h"

/* Mark counts that are incomplete because the kernel removed the events. When a task executes a
 * set-uid program or a program that the user cannot read, the kernel removes the task's events, so
 * nothing after that is counted. If the command itself is such a program, its counts become "not
 * counted" and a warning states the reason. The command's children are not checked, because events
 * of processes that exit early also miss some time. Call this after reading the counts of a
 * complete run. */
void stat_removed_check(struct stat_session *session);

#endif
