/* SPDX-License-Identifier: BSD-2-Clause */
/* Read counters into cells. */
#ifndef TALLY_CLI_STAT_COUNT_H
#define TALLY_CLI_STAT_COUNT_H

#include "cli/stat/stat.h"

/* Allocate the keys and cells. Call this after opening the counters. Returns 0 or -ENOMEM. */
int stat_count_prepare(struct stat_session *session);

/* Read all counters into the cells: counts since the start, or with `since_last`, counts since the
 * previous reading. Returns 0 or an error from read(2). */
int stat_count_read(struct stat_session *session, bool since_last);

/* Add the cells of the finished run to the totals over all runs. */
void stat_count_add_run(struct stat_session *session);

/* Replace the cells with their means over all runs, and add the deviations. */
void stat_count_mean(struct stat_session *session);

/* Free the cells and everything else allocated for counting. */
void stat_count_free(struct stat_session *session);

/* Return the mean of `nr` numbers and the standard error of the mean. */
struct stat_runs stat_runs_of(const uint64_t *each, uint64_t nr);

#endif
