/* SPDX-License-Identifier: BSD-2-Clause */
/* --format: a report for another program. */
#ifndef TALLY_CLI_REPORT_EXPORT_H
#define TALLY_CLI_REPORT_EXPORT_H

#include "cli/recording/document.h"
#include "cli/report/report.h"

/* Look at the options, and set what follows from them. 0 or -EINVAL, told. */
int report_export_check(struct report_config *config);

/* Look at where it is to go, before a long recording is read. 0 or -errno, told. */
int report_export_begin(const struct report *report);

/* Where the picture of --svg goes. */
struct tally_document_place report_svg_place(const struct report_config *config);

/* What the profile needs besides for the format, if it is one of another program. */
void report_export_options(const struct report_config *config,
			   struct tally_profile_options *options);

/* Write the format that was asked for. 0 or -errno. */
int report_export(struct report *report);

/* Write what is in `out`, to where the format goes, and empty it. 0 or -errno. */
int report_flush(struct report *report);

/* Whether the event of this number, from 0, is shown. */
bool report_wants_event(const struct report *report, uint64_t i);

#endif
