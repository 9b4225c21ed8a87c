/* SPDX-License-Identifier: BSD-2-Clause */
/* 'script NAME COMMAND': record and report in one command. */
#ifndef TALLY_CLI_SCRIPT_TRACE_LIVE_H
#define TALLY_CLI_SCRIPT_TRACE_LIVE_H

#include <stdbool.h>

/* Return true if the words are the name of a report and then, possibly after options of tally
 * record, a command that can be run, without -i. As in perf, a program's name is a command, and not
 * a thread's name. */
bool trace_is_live(int nr, char **words);

/* Record the command into a temporary file, and print the report. Returns the exit status. */
int trace_live_run(int nr, char **words);

#endif
