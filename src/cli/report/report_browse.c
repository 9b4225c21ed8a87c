/* SPDX-License-Identifier: BSD-2-Clause */
/* Show a report in the terminal browser. */
#include <stdlib.h>
#include <string.h>

#include "abi/attr.h"
#include "base/path.h"
#include "cli/browser/browser.h"
#include "cli/browser/find_samples.h"
#include "cli/main/output_stream.h"
#include "view/health.h"
#include "cli/report/report_browse.h"
#include "session/session_profile.h"

/* Return true if an option asks for text other than a summary, or for another format. */
static bool asks_text(const struct report_config *config)
{
	return config->stdio || config->json || config->separator || config->header ||
	       config->header_only || config->show_info || config->health || config->raw_dump ||
	       config->stats || config->tasks || config->mmaps || config->total_cycles ||
	       config->threads || (config->branch_given && config->branch_stack) ||
	       config->mem_mode || config->rows.hierarchy || config->quiet || config->svg ||
	       config->format;
}

bool report_wants_browser(const struct report_config *config)
{
	return config->tui || config->annotate ||
	       (!asks_text(config) && tally_output_takes_screens());
}

/* Return true if an option selects or formats rows. */
static bool asks_rows(const struct report_config *config)
{
	const struct tally_row_options *rows = &config->rows;
	const struct tally_show *show = &rows->show;

	return rows->sort || rows->fields || rows->call_graph || rows->percent_limit ||
	       (rows->column_widths && !config->whole_names) || rows->children_given ||
	       rows->call_graph_given || rows->inverted || rows->show_samples ||
	       rows->show_period || rows->latency || rows->cpu_modes || show->parent ||
	       show->symbol_part || show->graph_limit || config->csv || config->group_given ||
	       config->branch_history || config->branch_given || config->nanoseconds ||
	       config->raw_trace || config->time_quantum || config->percentage || config->colour ||
	       config->ignore_callees || config->parallelism || config->hide_unresolved;
}

bool report_wants_summary(const struct report_config *config, const char *word)
{
	return !word && !config->tui && !asks_text(config) && !asks_rows(config) &&
	       !tally_output_takes_screens();
}

static const char *event_name(void *arg, uint32_t number)
{
	const struct report *report = arg;
	const struct tally_perfdata_event *event =
		tally_perfdata_event(report->session->data, number);

	if (!event || number >= report->profile.totals.len ||
	    !report->profile.totals.data[number].nr_shown)
		return NULL;
	return event->name;
}

static uint64_t fields(void *arg, uint32_t number)
{
	const struct report *report = arg;

	return tally_perfdata_event(report->session->data, number)->attr.sample_type;
}

static bool is_time(void *arg, uint32_t number)
{
	const struct report *report = arg;

	return tally_attr_is_clock(&tally_perfdata_event(report->session->data, number)->attr);
}

static void add_health(void *arg, struct tally_str *out)
{
	const struct report *report = arg;

	tally_health_text(report->session, &report->profile, false, out);
}

/* ---- costs of the addresses of a function -------------------------------------- */

/* Read the samples again. The profile refers to samples by number. */
static int annotate(void *arg, struct browser *browser, const struct tally_frame *frame,
		    struct tally_annotate **ret_samples)
{
	struct report *report = arg;
	const char *const dsos[] = {tally_dso_name(frame->dso), NULL};
	const struct tally_annotate_options options = {
		.symbol = tally_symbol_name(frame->dso, frame->symbol),
		.dsos = dsos,
		.max_stack = (uint32_t)report->config->max_stack,
		.raw_chains = report->config->raw_chains,
	};
	struct tally_annotate *samples = NULL;
	uint64_t *wanted, nr;
	int ret = browser_find_samples(browser, frame, &wanted, &nr);

	if (ret)
		return ret;
	ret = tally_annotate_new(report->session->machine, &options, &samples);
	if (!ret)
		ret = tally_session_annotate_again(report->session, wanted, nr, samples);
	free(wanted);
	if (ret)
		tally_annotate_free(samples);
	else
		*ret_samples = samples;
	return ret;
}

int report_browse(struct report *report)
{
	struct tally_browser_source source = {
		.views = tally_browser_views,
		.profile = &report->profile,
		.nr_events = (uint32_t)report->profile.totals.len,
		.rows = &report->config->rows,
		.symfs = report->session->options.symbols.symfs,
		.labels = &report->labels,
		.arg = report,
		.event = event_name,
		.fields = fields,
		.is_time = is_time,
		.health = add_health,
		.annotate = tally_perfdata_info(report->session->data)->is_stream ? NULL : annotate,
		.what = tally_path_name(report->session->name),
		.is_temporary = report->session->name != report->session->path,
		.query = report->query,
		.annotated = report->config->annotate,
		.starts_with_rows = asks_rows(report->config),
	};

	while (source.first_event < report->profile.totals.len &&
	       !event_name(report, source.first_event))
		source.first_event++;
	if (source.first_event == report->profile.totals.len)
		return report_print(report);
	return tally_browser_run(&source);
}
