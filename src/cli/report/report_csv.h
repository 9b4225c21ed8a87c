/* SPDX-License-Identifier: BSD-2-Clause */
/* --format csv: comma-separated values as specified by RFC 4180. */
#ifndef TALLY_CLI_REPORT_CSV_H
#define TALLY_CLI_REPORT_CSV_H

#include "cli/report/report.h"

/* Append the line with the column names. */
void report_csv_heading(const struct report_config *config, struct tally_str *out);

void report_csv_row(const struct tally_view *view, const char *event, const struct tally_row *row,
		    struct tally_str *out);

#endif
