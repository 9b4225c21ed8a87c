/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As with git, long output on a terminal goes through a pager: the first one that is set of
 * $TALLY_PAGER, $PERF_PAGER and $PAGER, or else less. There is no pager if that variable is empty
 * or "cat", if stdout is not a terminal, if TERM is "dumb", or with --no-pager.
 *
 * While the pager runs, stderr goes through it as well if it is a terminal, and the pager handles
 * Ctrl-C. If the user quits the pager early, SIGPIPE ends tally. Only commands that have dropped
 * their capabilities start a pager.
 */
#ifndef TALLY_CLI_MAIN_PAGER_H
#define TALLY_CLI_MAIN_PAGER_H

#include <stdbool.h>

/* For --no-pager: make tally_pager_start() do nothing. */
void tally_pager_disable(void);

/* Start the pager, before the first output. A second call has no effect. If the pager cannot be
 * run, output goes directly to the terminal, with a warning if the user chose the pager. */
void tally_pager_start(void);

/* Return true if stdout leads to a pager on a terminal. */
bool tally_pager_runs(void);

/* End the output and wait until the pager has exited. Then stdout and stderr are the terminal
 * again. */
void tally_pager_finish(void);

#endif
