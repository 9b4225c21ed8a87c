/* SPDX-License-Identifier: BSD-2-Clause */
/* --format csv: separated values by RFC 4180. */
#ifndef TALLY_CLI_REPORT_CSV_H
#define TALLY_CLI_REPORT_CSV_H

#include "cli/report/report.h"

/* The names of the columns. */
void report_csv_heading(const struct report_config *config, struct tally_str *out);

void report_csv_row(const struct tally_view *view, const char *event, const struct tally_row *row,
		    struct tally_str *out);

#endif
