/* SPDX-License-Identifier: BSD-2-Clause */
/* Targets and their counters. */
#ifndef TALLY_CLI_STAT_OPEN_H
#define TALLY_CLI_STAT_OPEN_H

#include "cli/stat/stat.h"
#include "sampler/counting.h"

/* Find the CPUs and threads to count, except the command's threads. Returns 0, or -errno after
 * printing an error. */
int stat_targets_resolve(struct stat_session *session);

/* Return the settings for opening a set's counters. */
struct tally_counting stat_counting(const struct stat_session *session, const struct stat_set *set);

/* Open the counters for a run. With `first`, also report rejected events; with `last`, drop
 * privileges. Returns 0, or -errno after printing an error. */
int stat_open(struct stat_session *session, bool first, bool last);

/* Close the counters of all sets. */
void stat_close(struct stat_session *session);

#endif
