/* SPDX-License-Identifier: BSD-2-Clause */
/* The reports that perf has as scripts: their table, recording for them, and the scripts that tally
 * does not have. */
#ifndef TALLY_CLI_SCRIPT_TRACE_REPORTS_H
#define TALLY_CLI_SCRIPT_TRACE_REPORTS_H

#include "cli/script/trace_report.h"

/* The reports of each family. The last one has no name. */
extern const struct trace_report_kind trace_count_reports[];
extern const struct trace_report_kind trace_netdev_reports[];
extern const struct trace_report_kind trace_futex_reports[];
extern const struct trace_report_kind trace_drop_reports[];

/* Define a table of handlers. */
#define TRACE_HANDLERS(...)            \
	(const struct trace_handler[]) \
	{                              \
		__VA_ARGS__,           \
		{                      \
			NULL, NULL     \
		}                      \
	}

/* Return the report with this name, or NULL. */
const struct trace_report_kind *trace_reports_find(const char *name);

/* Print the names of the reports and their arguments, as lines of 'script -l'. */
void trace_reports_list(void);

#endif
