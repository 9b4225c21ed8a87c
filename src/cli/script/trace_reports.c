/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/script/trace_reports.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"

static const struct trace_report_kind *const families[] = {
	trace_count_reports,
	trace_netdev_reports,
	trace_futex_reports,
	trace_drop_reports,
};

const struct trace_report_kind *trace_reports_find(const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(families); i++)
		for (const struct trace_report_kind *kind = families[i]; kind->name; kind++)
			if (!strcmp(kind->name, name))
				return kind;
	return NULL;
}

void trace_reports_list(void)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(families); i++)
		for (const struct trace_report_kind *kind = families[i]; kind->name; kind++)
			printf("  %-24s %s\n%s%s%s", kind->name, kind->about,
			       *kind->usage ? "                             " : "", kind->usage,
			       *kind->usage ? "\n" : "");
}
