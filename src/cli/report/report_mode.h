/* SPDX-License-Identifier: BSD-2-Clause */
/* The kind of a report's rows, samples or branches, and their columns. */
#ifndef TALLY_CLI_REPORT_MODE_H
#define TALLY_CLI_REPORT_MODE_H

#include "cli/report/report.h"

/* Choose the columns when the recording's events are known, and between rows for samples and for
 * branches (report->reading.branches). Returns 0, or -errno after printing an error. */
int report_columns(struct report *report);

/* Return true if the output is perf's: rows of text, or separated values. Other outputs count
 * inlined functions apart. */
bool report_is_perf_text(const struct report *report);

/* Check the options that report_columns() uses, before a recording is read. Returns 0, or -errno
 * after printing an error. */
int report_mode_check(struct report_config *config);

/* Parse the options that filter samples and callchains. Returns 0, or -errno after printing an
 * error. */
int report_filters(struct report *report);

#endif
