/* SPDX-License-Identifier: BSD-2-Clause */
/* Durations in sum: the histogram of latency, the table of profile. */
#ifndef TALLY_CLI_FTRACE_SHOW_H
#define TALLY_CLI_FTRACE_SHOW_H

#include "cli/ftrace/ftrace.h"

/* 0, or -EINVAL for a sort key that is none. */
int ftrace_sort_check(const char *key);

/* Print the histogram of the session's durations, and their sums. */
void ftrace_show_latency(const struct ftrace_session *session);

/* Sort the session's functions by --sort, which was checked, and print them. */
void ftrace_show_profile(struct ftrace_session *session);

#endif
