/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long output on a terminal goes through a pager, as with git: $TALLY_PAGER, $PERF_PAGER or $PAGER,
 * the first that is set, else less. There is none where that is empty or "cat", where stdout is no
 * terminal, TERM is "dumb", or --no-pager was given. While there is one, what is said on stderr
 * goes through it as well, if that is a terminal, and Ctrl-C is the pager's. Whoever leaves it
 * before the end of what we write ends us by SIGPIPE. Only commands that have dropped their
 * capabilities start it.
 */
#ifndef TALLY_CLI_MAIN_PAGER_H
#define TALLY_CLI_MAIN_PAGER_H

#include <stdbool.h>

/* --no-pager: tally_pager_start() does nothing. */
void tally_pager_refuse(void);

/* Called when output begins; once more does nothing. Where the pager cannot be run there is none,
 * which is said if it was asked for. */
void tally_pager_start(void);

/* Whether stdout leads to a pager on a terminal. */
bool tally_pager_runs(void);

/* What was written is all: wait until the pager has ended. Then stdout and stderr are the terminal
 * again. */
void tally_pager_finish(void);

#endif
