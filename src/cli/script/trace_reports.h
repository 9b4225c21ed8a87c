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
extern const struct trace_report_kind trace_compaction_reports[];
extern const struct trace_report_kind trace_memory_reports[];
extern const struct trace_report_kind trace_sample_reports[];

/* Define a table of handlers. */
#define TRACE_HANDLERS(...)              \
	(const struct trace_handler[])   \
	{                                \
		__VA_ARGS__,             \
		{                        \
			NULL, NULL, NULL \
		}                        \
	}

/* Print the names of all reports for shells. */
void trace_reports_print(void);

/* Return the report with this name, or NULL. */
const struct trace_report_kind *trace_reports_find(const char *name);

/* Take the arguments that begin with a dash and belong to a report, such as -u of "compaction-times
 * -u", out of `argv`. Arguments after "--" remain. Returns 0, or the exit status plus 1 after
 * printing an error. */
int trace_arguments_take(struct trace_arguments *arguments, int *argc, char **argv);

/* Add words, of which the first is the name of a report. Returns 0, or -errno after printing an
 * error. */
int trace_arguments_add(struct trace_arguments *arguments, int nr, char **words);
void trace_arguments_free(struct trace_arguments *arguments);

/* Print the names of the reports and their arguments, as lines of 'script -l'. */
void trace_reports_list(void);

#endif
