/* SPDX-License-Identifier: BSD-2-Clause */
/* 'script record NAME', and perf's scripts that tally does not have. */
#ifndef TALLY_CLI_SCRIPT_TRACE_RECORD_H
#define TALLY_CLI_SCRIPT_TRACE_RECORD_H

#include <stdbool.h>

/* Record what a report needs. The first word is its name; the others are options of tally record
 * and the command. Returns the exit status. */
int trace_record_run(int nr, char **words);

/* If perf has a script with this name and tally does not, print why and what to use instead, and
 * return true. */
bool trace_script_is_refused(const char *name);

#endif
