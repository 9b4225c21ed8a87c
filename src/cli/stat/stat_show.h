/* SPDX-License-Identifier: BSD-2-Clause */
/* Print the counts of a session to its output. */
#ifndef TALLY_CLI_STAT_SHOW_H
#define TALLY_CLI_STAT_SHOW_H

#include "cli/stat/stat.h"

/* Select format and output according to the options, and open the file of -o. Returns 0, or -errno
 * after an error message. */
int stat_output_open(struct stat_session *session);

/* Read the counters and print the counts since the last interval. `at` is the current time in ns
 * since the start. Returns 0, or -errno after an error message. */
int stat_show_interval(struct stat_session *session, uint64_t at);

/* Print the cells as they are: the counts of a run, or the means of all runs. Returns 0, or -errno
 * after an error message. */
int stat_show_total(struct stat_session *session);

/* Close the file of -o and free the printer. Returns 0 or the error of close(2). */
int stat_output_close(struct stat_session *session);

#endif
