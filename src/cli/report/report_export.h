/* SPDX-License-Identifier: BSD-2-Clause */
/* --format: export a report for use in another program. */
#ifndef TALLY_CLI_REPORT_EXPORT_H
#define TALLY_CLI_REPORT_EXPORT_H

#include "cli/main/document.h"
#include "cli/report/report.h"

/* Check the options and set dependent options. Returns 0, or -EINVAL after printing an error. */
int report_export_check(struct report_config *config);

/* Check the destination before reading a long recording. Returns 0, or -errno after printing an
 * error. */
int report_export_begin(const struct report *report);

/* Return the output destination for --svg. */
struct tally_document_place report_svg_place(const struct report_config *config);

/* Set the profile options that the export format requires. */
void report_export_options(const struct report_config *config,
			   struct tally_profile_options *options);

/* Write the report in the selected format. Returns 0 or -errno. */
int report_export(struct report *report);

/* Write report->out to the format's destination or to stdout, and clear it. Returns 0 or -errno. */
int report_flush(struct report *report);

/* Return true if event `i` (0-based) is selected. */
bool report_wants_event(const struct report *report, uint64_t i);

/* Print the names of all formats for shells. */
void report_print_formats(const char *before);

#endif
