/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports that count tracepoints, natively what perf's scripts of the same names do. */
#ifndef TALLY_CLI_SCRIPT_COUNTS_H
#define TALLY_CLI_SCRIPT_COUNTS_H

#include <stdbool.h>

#include "cli/main/recordings.h"

struct script_counts;

/* Return the report with this name, or NULL. */
const struct script_counts *script_counts_find(const char *name);

/* Print the names of the reports, and what they need. */
void script_counts_list(void);

/* Read the recording and print the report. `arg` is the name of a thread, to which the report is
 * limited, or NULL. Returns 0, or -errno after printing an error. */
int script_counts_run(const struct script_counts *counts,
		      const struct tally_recording_options *options, const char *arg);

#endif
