/* SPDX-License-Identifier: BSD-2-Clause */
/* Read counters into cells. */
#ifndef TALLY_CLI_STAT_COUNT_H
#define TALLY_CLI_STAT_COUNT_H

#include "cli/stat/stat.h"

/* Allocate the keys and cells. Call this after opening the counters. Returns 0, -ENOMEM,
 * or -ENODATA if a CPU's cache or cluster is unknown. */
int stat_count_prepare(struct stat_session *session);

/* Return the name of a thread of this machine, or "<...>". */
void stat_thread_comm(int32_t tid, char *ret_comm, size_t size);

/* The origin of a count. */
struct stat_place {
	int32_t cpu;      /* number, or -1 */
	size_t thread;    /* index */
	size_t index, nr; /* number of the row's counter, and how many it has */
};

/* Set the cells to nothing, add one count of a row, and complete the cells. `delta` adds the
 * difference to the previous count of the same place. Returns 0 or -ENOMEM. */
void stat_count_clear(struct stat_session *session);
int stat_count_add(struct stat_session *session, size_t row, const struct stat_place *place,
		   const struct tally_count *since_start, bool delta);
void stat_count_finish(struct stat_session *session);

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
