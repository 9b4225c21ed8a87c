/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that the kernel removed while the command ran. */
#ifndef TALLY_CLI_STAT_REMOVED_H
#define TALLY_CLI_STAT_REMOVED_H

#include "cli/stat/stat.h"

/* The kernel removes the events of a user without privileges when a program is executed that is
 * set-uid, or whose file that user cannot read: what it does afterwards is not counted. To be
 * called once the counters were read for the whole of a run: where the command itself is such a
 * program, or nearly all of its CPU time is not in them, they become "not counted", and a warning
 * says why; where a part of its processes is, a warning alone says how much is missing. */
void stat_removed_check(struct stat_session *session);

#endif
