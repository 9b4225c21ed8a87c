/* SPDX-License-Identifier: BSD-2-Clause */
/* Print summaries of durations: the histogram of `latency` and the table of `profile`. */
#ifndef TALLY_CLI_FTRACE_SHOW_H
#define TALLY_CLI_FTRACE_SHOW_H

#include "cli/ftrace/ftrace.h"

/* Check a sort key. Return 0, or -EINVAL if the key is unknown. */
int ftrace_sort_check(const char *key);

/* Print the histogram and the statistics of the session's durations. */
void ftrace_show_latency(const struct ftrace_session *session);

/* Sort the session's functions by --sort, which must have been checked, and print them. */
void ftrace_show_profile(struct ftrace_session *session);

/* Print the words of --sort for shells. */
void ftrace_sort_print(const char *before);

#endif
