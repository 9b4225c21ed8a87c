/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the counts of a session are printed, and the tables that are printed there. */
#ifndef TALLY_CLI_STAT_SHOW_H
#define TALLY_CLI_STAT_SHOW_H

#include "cli/stat/stat.h"

/* Choose format and output by the options, and open the file of -o. 0, or -errno, which was told.
 */
int stat_output_open(struct stat_session *session);

/* Read the counters and print what they counted since the last interval; `at` is now, in ns after
 * the start. 0 or -errno, which was told. */
int stat_show_interval(struct stat_session *session, uint64_t at);

/* Print the cells as they are: the end of a run, or the mean of all runs. 0 or -errno, which was
 * told. */
int stat_show_total(struct stat_session *session);

/* Close the file of -o and free what printing needed. 0, or the error of close(2). */
int stat_output_close(struct stat_session *session);

#endif
