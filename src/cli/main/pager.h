/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As in git, long output to a terminal goes through a pager. The pager is the first variable that
 * is set among $TALLY_PAGER, $PERF_PAGER and $PAGER; if none is set, it is less. There is no pager
 * if that variable is empty or "cat", if stdout is not a terminal, if TERM is "dumb", or with
 * --no-pager.
 *
 * While the pager runs, stderr goes through it as well if stderr is a terminal, and the pager
 * handles Ctrl-C. If the user quits the pager early, SIGPIPE kills tally. Only commands that have
 * dropped their capabilities start a pager.
 */
#ifndef TALLY_CLI_MAIN_PAGER_H
#define TALLY_CLI_MAIN_PAGER_H

#include <stdbool.h>

/* For --no-pager: make tally_pager_start() do nothing. */
void tally_pager_disable(void);

/* Start the pager, before the first output. A second call has no effect. If the pager cannot be
 * run, output goes directly to the terminal, with a warning if the user chose the pager. */
void tally_pager_start(void);

/* Return true if stdout is connected to a pager on a terminal. */
bool tally_pager_runs(void);

/* Close the pager's input and wait until the pager has exited. Then restore stdout and stderr to
 * the terminal. */
void tally_pager_finish(void);

#endif
