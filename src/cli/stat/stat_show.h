/* SPDX-License-Identifier: BSD-2-Clause */
/* Print a session's counts to its output. */
#ifndef TALLY_CLI_STAT_SHOW_H
#define TALLY_CLI_STAT_SHOW_H

#include "cli/stat/stat.h"

/* Return the table of the session's current cells. */
struct stat_table stat_table_of(struct stat_session *session);

/* Select the format and the output according to the options, and open the -o file. Returns 0, or
 * -errno after printing an error. */
int stat_output_open(struct stat_session *session);

/* Read the counters and print the counts since the last interval. `at` is the current time in ns
 * since the start. Returns 0, or -errno after printing an error. */
int stat_show_interval(struct stat_session *session, uint64_t at);

/* Print the current cells, which are the counts of an interval that ended at `at`. Returns 0, or
 * -errno after printing an error. */
int stat_show_counts(struct stat_session *session, uint64_t at);

/* Print the current cells, which are the counts of a run or the means of all runs. Returns 0, or
 * -errno after printing an error. */
int stat_show_total(struct stat_session *session);

/* Close the -o file and free the printer. Returns 0 or an error from close(2). */
int stat_output_close(struct stat_session *session);

#endif
