/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that the kernel removed while the command ran. */
#ifndef TALLY_CLI_STAT_REMOVED_H
#define TALLY_CLI_STAT_REMOVED_H

#include "cli/stat/stat.h"

/* The kernel removes the events of a task that executes a set-uid program, or one whose file its
 * user cannot read: what it does afterwards is not counted. If the command itself is such a program
 * its counts, which were read for the whole of the run, become "not counted", and a warning says
 * why. What a command starts is not known: processes that end early miss some time, too. */
void stat_removed_check(struct stat_session *session);

#endif
