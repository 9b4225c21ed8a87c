/* SPDX-License-Identifier: BSD-2-Clause */
/* Print a report as a summary. */
#include <string.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "base/path.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/report/report_browse.h"
#include "cli/report/report_export.h"
#include "view/health.h"
#include "view/summary_text.h"
#include "view/wrap.h"

/* Maximum width of a line, except on a narrower terminal and with COLUMNS in a pipe. */
enum { SUMMARY_COLUMNS = 100 };

/* Return true if samples were left out while the recording was read. */
static bool is_narrow(const struct tally_session *session)
{
	const struct tally_session_filter *filter = &session->options.filter;

	return filter->time || filter->cpus || filter->pids || filter->tids ||
	       (session->query && tally_query_needs(session->query) & PERF_SAMPLE_TIME);
}

static int add_event(struct report *report, uint32_t number, const char *health)
{
	const struct tally_perfdata_event *event =
		tally_perfdata_event(report->session->data, number);
	const struct tally_profile_total *total = &report->profile.totals.data[number];
	const struct tally_output_size size = tally_output_size();
	bool has_chains = report->config->rows.show.style != TALLY_STYLE_NONE;
	const struct tally_summary summary = {
		.name = tally_path_name(report->session->name),
		.event_name = event->name,
		.is_time = tally_attr_is_clock(&event->attr),
		.has_chains = has_chains,
		.inlined_apart = report->profile.options.lines & TALLY_LINES_SELF,
		.is_temporary = report->session->name != report->session->path,
		.is_own_code = report->config->own_code,
		.is_partial = total->nr_shown != total->nr,
		.nr = total->nr_shown,
		.period = total->period_shown,
		.whole = total->period_shown,
		.all = total->period,
		.is_narrow = is_narrow(report->session),
		.first = total->first,
		.last = total->last,
		.health = health,
		.has_footnotes = !size.rows,
		.whole_names = report->config->whole_names,
		.columns = (size_t)(size.rows ? TALLY_MIN(size.columns, SUMMARY_COLUMNS)
					      : tally_output_columns(SUMMARY_COLUMNS)),
	};
	struct tally_top_lists lists;
	int ret = tally_top_lists_build(&report->profile, number, NULL, has_chains, &lists);

	if (ret)
		return ret;
	tally_summary_text(&summary, &lists, &report->out);
	tally_top_lists_free(&lists);
	report->rows_shown += total->nr_shown;
	return 0;
}

int report_summary(struct report *report)
{
	struct tally_str health = {0};
	bool first = true;
	int ret = 0;

	tally_pager_start();
	tally_health_text(report->session, &report->profile, false, &health);
	tally_unmark_comments(&health, 0);
	for (uint32_t i = 0; i < report->profile.totals.len && !ret; i++) {
		if (!report_wants_event(report, i) || !report->profile.totals.data[i].nr_shown)
			continue;
		if (!first)
			tally_str_add_char(&report->out, '\n');
		first = false;
		ret = add_event(report, i, tally_str_text(&health));
	}
	if (!ret)
		ret = tally_str_error(&health);
	tally_str_free(&health);
	return ret ? ret : report_flush(report);
}
