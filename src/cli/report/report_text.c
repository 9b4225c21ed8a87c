/* SPDX-License-Identifier: BSD-2-Clause */
/* Print a report as text or JSON. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/json.h"
#include "cli/main/output_stream.h"
#include "cli/main/pager.h"
#include "cli/main/print.h"
#include "view/view_csv.h"
#include "view/view_hierarchy.h"
#include "view/health.h"
#include "cli/report/report_export.h"
#include "cli/main/region_table.h"
#include "cli/report/report.h"
#include "view/wrap.h"

/* Append a count in perf's format for the number of samples, in which 1234567 is "1M". */
static void add_count(struct tally_str *out, uint64_t nr)
{
	static const char units[] = " KMG";
	int unit = 0;

	while (nr > 1000 && units[unit + 1]) {
		nr /= 1000;
		unit++;
	}
	tally_str_addf(out, "%" PRIu64 "%c", nr, units[unit]);
}

static void add_event_heading(struct report *report, const struct tally_event_group *group)
{
	const char *times = report->config->recording.session.filter.time;
	const uint32_t *events = report->groups.events.data + group->first;
	struct tally_str *out = &report->out;
	size_t start = out->len;
	bool is_selection = report->config->rows.show.is_relative || report->session->query;
	uint64_t nr = 0, period = 0;

	if (report->config->quiet || report->config->json)
		return;
	for (uint32_t i = 0; i < group->nr; i++) {
		const struct tally_profile_total *total = &report->profile.totals.data[events[i]];

		/* As in perf, filters such as --comms do not change the heading. */
		nr += is_selection ? total->nr_shown : total->nr;
		tally_sum_add(&period, is_selection ? total->period_shown : total->period);
	}
	tally_str_add(out, "# Samples: ");
	add_count(out, nr);
	tally_str_addf(out, " of event%s '", group->nr > 1 ? "s" : "");
	tally_str_add_escaped(out, tally_str_text(&group->name));
	tally_str_add_char(out, '\'');
	if (times) {
		tally_str_add(out, " (time slices: ");
		tally_str_add_escaped(out, times);
		tally_str_add_char(out, ')');
	}
	tally_str_add_char(out, '\n');
	if (report->reading.weights) {
		tally_str_addf(out, "# Total weight : %" PRIu64 "\n# Sort order   : ", period);
		tally_row_options_sort_order(&report->config->rows, out);
		tally_str_add(out, "\n#\n");
	} else {
		tally_str_addf(out, "# Event count (approx.): %" PRIu64 "\n#\n", period);
	}
	tally_wrap_comments(out, start, (size_t)report->line_width);
}

static const char *report_event_name(const struct report *report, uint32_t event)
{
	return tally_perfdata_event(report->session->data, event)->name;
}

static int report_rows(struct report *report, struct tally_view *view)
{
	bool first = true;
	int ret = 0;

	tally_vec_for_each (row, &view->hist->rows) {
		if (report->config->json) {
			tally_str_add(&report->out, first ? "\n" : ",\n");
			tally_view_row_json(view, row, &report->out);
		} else if (report->config->csv) {
			tally_view_csv_row(view, report_event_name(report, view->event), row,
					   &report->out);
		} else {
			tally_view_row(view, row, &report->out);
		}
		first = false;
		report->rows_shown++;
		if (report->out.len >= TALLY_FLUSH_AT && (ret = report_flush(report)))
			break;
	}
	return ret;
}

struct tally_shown_rows_options report_rows_options(struct report *report, uint32_t event)
{
	return (struct tally_shown_rows_options){
		.profile = &report->profile,
		.show = &report->config->rows.show,
		.labels = &report->labels,
		.event = event,
		.graphs = true,
	};
}

static bool group_has(struct report *report, const struct tally_event_group *group,
		      const struct tally_view_column *column)
{
	const uint32_t *events = report->groups.events.data + group->first;

	for (uint32_t i = 0; i < group->nr; i++) {
		if (tally_labels_event_has(&report->labels, column, events[i]))
			return true;
	}
	return false;
}

/* As in perf, text does not show the fields that the events do not have, unless no key is left. */
static void remove_fields(struct report *report, const struct tally_event_group *group,
			  struct tally_view *view)
{
	const struct tally_view_column *kept[TALLY_VIEW_MAX_COLUMNS];
	unsigned keys = 0;
	int nr = 0;

	for (int i = 0; i < view->nr_columns; i++) {
		if (!group_has(report, group, view->columns[i]))
			continue;
		keys |= view->columns[i]->key;
		kept[nr++] = view->columns[i];
	}
	if (!keys)
		return;
	memcpy(view->columns, kept, (size_t)nr * sizeof(*kept));
	view->nr_columns = nr;
}

/* Return true if functions have short names. --stdio has perf's names if it is not cut, and
 * programs read folded callchains. */
static bool has_short_names(const struct report_config *config, const struct tally_view *view)
{
	bool is_perfs = config->stdio || config->separator || config->rows.show.asked;

	return (view->line_width || !is_perfs) && !config->json && !config->csv &&
	       config->rows.show.style != TALLY_STYLE_FOLDED;
}

/* Show a group of events side by side, or one event. */
static int report_group(struct report *report, const struct tally_event_group *group)
{
	const uint32_t *events = report->groups.events.data + group->first;
	struct tally_shown_rows_options options = report_rows_options(report, events[0]);
	const struct report_config *config = report->config;
	struct tally_shown_rows rows;
	int ret;

	options.members = events + 1;
	options.nr_members = group->nr - 1;
	options.first_member = config->group_sort < group->nr ? (uint32_t)config->group_sort : 0;
	ret = tally_shown_rows_make(&options, &rows);
	if (ret)
		return ret;
	rows.view.hist = &rows.hist;
	if (!config->json && !config->csv)
		remove_fields(report, group, &rows.view);
	rows.view.separator = config->separator;
	rows.view.has_colours = report->has_colours && !config->separator && !config->csv;
	rows.view.line_width = config->rows.show.asked ? 0 : report->line_width;
	rows.view.has_short_names = has_short_names(config, &rows.view);
	add_event_heading(report, group);
	if (config->rows.hierarchy) {
		size_t shown;

		ret = tally_view_hierarchy(&rows.view, config->rows.node_min_percent, config->quiet,
					   &report->out, &shown);
		report->rows_shown += shown;
		tally_str_add(&report->out, "\n\n");
		tally_shown_rows_free(&rows);
		return ret;
	}
	if (!config->json) {
		tally_view_measure(&rows.view);
		if (!config->quiet)
			tally_view_heading(&rows.view, &report->out);
	}
	ret = report_rows(report, &rows.view);
	if (!config->json && !config->csv)
		tally_str_add(&report->out, "\n\n");
	tally_shown_rows_free(&rows);
	return ret;
}

static void json_event_open(struct report *report, uint32_t event)
{
	const struct tally_profile_total *total = &report->profile.totals.data[event];

	tally_json_open(&report->out, NULL, '{');
	tally_json_text(&report->out, "event", report_event_name(report, event));
	tally_json_u64(&report->out, "samples", total->nr_shown);
	tally_json_u64(&report->out, "period", total->period_shown);
	tally_json_u64(&report->out, "total_period", total->period);
	tally_json_open(&report->out, "rows", '[');
}

/* Events without samples are skipped, such as the dummy event that only records mappings. */
static bool event_is_shown(const void *arg, uint32_t event)
{
	const struct report *report = arg;

	return event < report->profile.totals.len && report->profile.totals.data[event].nr &&
	       report_wants_event(report, event);
}

static int report_events(struct report *report)
{
	const struct report_config *config = report->config;
	const struct tally_event_groups_options options = {
		/* In JSON and CSV, each row belongs to one event. */
		.joins_none =
			config->json || config->csv || (config->group_given && !config->group),
		.joins_all = config->group && !config->json && !config->csv,
		.has_samples = event_is_shown,
		.arg = report,
	};
	int ret = tally_event_groups_find(report->session, &options, &report->groups);

	if (ret)
		return ret;
	tally_vec_for_each (group, &report->groups.all) {
		if (config->json)
			json_event_open(report, report->groups.events.data[group->first]);
		ret = report_group(report, group);
		if (config->json) {
			tally_json_close(&report->out, ']');
			tally_json_close(&report->out, '}');
		}
		if (ret)
			break;
	}
	tally_event_groups_free(&report->groups);
	return ret;
}

static void add_hint(struct report *report)
{
	size_t start = report->out.len;

	if (report->config->header || report->config->show_info)
		return;
	tally_str_add(&report->out, "# To display the perf.data header info, please use "
				    "--header/--header-only options.\n#\n");
	tally_wrap_comments(&report->out, start, (size_t)report->line_width);
}

/* Append the numbers of lost records and samples. As in perf, "Samples" is printed if nothing was
 * lost. */
static void add_lost(struct report *report)
{
	struct tally_session_lost lost = tally_session_lost(report->session);

	tally_str_add(&report->out, "#\n");
	if (lost.records)
		tally_str_addf(&report->out, "# Total Lost Records: %" PRIu64 "\n", lost.records);
	if (lost.samples || !lost.records)
		tally_str_addf(&report->out, "# Total Lost Samples: %" PRIu64 "\n", lost.samples);
	tally_str_add(&report->out, "#\n");
}

static void add_health(struct report *report, bool all_files)
{
	size_t start = report->out.len;

	tally_health_text(report->session, &report->profile, all_files, &report->out);
	tally_wrap_comments(&report->out, start, (size_t)report->line_width);
}

/* --health: print only the health summary. */
static int report_health(struct report *report)
{
	add_health(report, true);
	return report_flush(report);
}

/* Append the regions of a recording of 'record --regions'. Returns 0 or -ENOMEM. */
static int add_regions(struct report *report, bool comments)
{
	struct tally_perfdata_feature feature;
	struct region_tables regions = {0};
	int ret = 0;

	for (size_t i = 0; tally_perfdata_feature(report->session->data, i, &feature); i++)
		if (feature.id == TALLY_FEATURE_REGIONS && !ret)
			ret = region_tables_add(&regions, (const char *)feature.bytes.data,
						feature.bytes.len);
	if (ret)
		tally_print_warning("%s: ignoring its regions: %s", report->session->name,
				    strerror(-ret));
	if (!ret && regions.documents && report->config->json) {
		region_tables_json(&regions, &report->out);
		tally_json_u64(&report->out, "regions_unmeasured", regions.unmeasured);
	} else if (!ret && regions.documents && comments) {
		region_tables_print(&regions, "#", "", &report->out);
	}
	region_tables_free(&regions);
	return ret == -ENOMEM ? ret : 0;
}

static int print_rows(struct report *report)
{
	struct tally_str *out = &report->out;
	bool comments = !report->config->quiet && !report->config->json;
	int ret;

	if (report->config->json) {
		tally_json_open(out, NULL, '{');
		tally_json_u64(out, "version", 1);
		tally_json_open(out, "events", '[');
	} else {
		if (comments && !report->config->csv)
			add_hint(report);
		tally_row_options_remove_single(&report->config->rows,
						comments && !report->config->csv ? out : NULL);
		if (report->config->csv)
			tally_view_csv_heading(&report->config->rows.show, out);
		else if (comments)
			add_lost(report);
	}
	ret = report_events(report);
	if (report->config->json) {
		tally_json_close(out, ']');
		ret = ret ? ret : add_regions(report, false);
		tally_health_json(report->session, &report->profile, out);
		tally_json_close(out, '}');
		tally_str_add_char(out, '\n');
	} else if (report->config->threads) {
		report_threads_text(&report->threads, report->session, out);
	}
	if (comments && !ret)
		ret = add_regions(report, true);
	if (comments)
		add_health(report, false);
	return ret ? ret : report_flush(report);
}

int report_print(struct report *report)
{
	const struct report_config *config = report->config;

	/* These reports use the branch stacks. */
	if (report->reading.branches || config->branch_history)
		report->session->health.branches = 0;
	tally_pager_start();
	return config->health && !config->json ? report_health(report) : print_rows(report);
}
