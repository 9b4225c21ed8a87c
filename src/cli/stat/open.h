/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets and counters. */
#ifndef TALLY_CLI_STAT_OPEN_H
#define TALLY_CLI_STAT_OPEN_H

#include "cli/stat/stat.h"
#include "sampler/counting.h"

int stat_targets(struct stat_session *session);

/* How the counters of a set are opened. */
struct tally_counting stat_counting(const struct stat_session *session, const struct stat_set *set);

/* Open the counters of a run. What was refused is told with `first`; with `last` our privileges are
 * given up. 0, or -errno after having
 * said why. */
int stat_open(struct stat_session *session, bool first, bool last);

void stat_close(struct stat_session *session);

#endif
