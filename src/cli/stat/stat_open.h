/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets and counters. */
#ifndef TALLY_CLI_STAT_OPEN_H
#define TALLY_CLI_STAT_OPEN_H

#include "cli/stat/stat.h"
#include "sampler/counting.h"

/* Find the CPUs and threads to count, except those of a command. Returns 0, or -errno after an
 * error message. */
int stat_targets_resolve(struct stat_session *session);

/* Return how the counters of a set are to be opened. */
struct tally_counting stat_counting(const struct stat_session *session, const struct stat_set *set);

/* Open the counters of a run. With `first`, also report rejected events; with `last`, privileges
 * are dropped. Returns 0, or -errno after an error message. */
int stat_open(struct stat_session *session, bool first, bool last);

/* Close the counters of all sets. */
void stat_close(struct stat_session *session);

#endif
