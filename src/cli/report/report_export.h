/* SPDX-License-Identifier: BSD-2-Clause */
/* --format: export a report to another program. */
#ifndef TALLY_CLI_REPORT_EXPORT_H
#define TALLY_CLI_REPORT_EXPORT_H

#include "cli/recording/document.h"
#include "cli/report/report.h"

/* Check the options, and derive others. Returns 0, or -EINVAL after printing an error. */
int report_export_check(struct report_config *config);

/* Check the destination before reading a long recording. Returns 0, or -errno after printing an
 * error. */
int report_export_begin(const struct report *report);

/* Return the destination of --svg. */
struct tally_document_place report_svg_place(const struct report_config *config);

/* Add what the export format requires to the options of the profile. */
void report_export_options(const struct report_config *config,
			   struct tally_profile_options *options);

/* Write the report in the selected format. Returns 0 or -errno. */
int report_export(struct report *report);

/* Write and clear `out`, to the destination of the format or to stdout. Returns 0 or -errno. */
int report_flush(struct report *report);

/* True if event `i`, counted from 0, is selected. */
bool report_wants_event(const struct report *report, uint64_t i);

#endif
