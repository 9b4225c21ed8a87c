/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading counters into cells. */
#ifndef TALLY_CLI_STAT_COUNT_H
#define TALLY_CLI_STAT_COUNT_H

#include "cli/stat/stat.h"

/* Make room for keys and cells, once the counters are open. 0 or -ENOMEM. */
int stat_count_prepare(struct stat_session *session);

/* Read every counter into the cells: all since the start, or with `since_last` since the
 * reading before. 0 or the error of read(2). */
int stat_count_read(struct stat_session *session, bool since_last);

/* Add the cells of the run that ended to the sums of all runs. */
void stat_count_add_run(struct stat_session *session);

/* Replace the cells by their means over the runs, with their deviations. */
void stat_count_mean(struct stat_session *session);

void stat_count_free(struct stat_session *session);

/* Mean and deviation of the mean of `nr` numbers. */
struct stat_runs stat_runs_of(const uint64_t *each, uint64_t nr);

#endif
