/* SPDX-License-Identifier: BSD-2-Clause */
/* A report in the terminal browser or, without a terminal, as a summary. */
#ifndef TALLY_CLI_REPORT_BROWSE_H
#define TALLY_CLI_REPORT_BROWSE_H

#include "cli/report/report.h"

/* Return true if the terminal browser should be used: either the user requested it, or the output
 * is a terminal and no other format was requested. */
bool report_wants_browser(const struct report_config *config);

/* Return true if a summary should be printed: there is no terminal, and no option asks for rows,
 * for other text or for another format. `word`, which may be NULL, is the command-line argument
 * that names the functions to show. */
bool report_wants_summary(const struct report_config *config, const char *word);

/* Run the terminal browser. Returns 0, or -errno after printing an error. */
int report_browse(struct report *report);

/* Print a summary of each event. Returns 0 or -errno. */
int report_summary(struct report *report);

#endif
