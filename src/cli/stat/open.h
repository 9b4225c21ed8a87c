/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets and counters. */
#ifndef TALLY_CLI_STAT_OPEN_H
#define TALLY_CLI_STAT_OPEN_H

#include "cli/stat/stat.h"

int stat_targets(struct stat_session *session);

struct tally_open_options stat_open_options(const struct stat_session *session,
					    const struct stat_set *set);

/* Open the counters of a run. What was refused is told with `first`; with `last` our privileges are
 * given up. 0, or -errno after having
 * said why. */
int stat_open(struct stat_session *session, bool first, bool last);

void stat_close(struct stat_session *session);

#endif
