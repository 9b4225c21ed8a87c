/* SPDX-License-Identifier: BSD-2-Clause */
/* Write a report as SVG. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/path.h"
#include "cli/main/overwrite.h"
#include "cli/main/print.h"
#include "view/health.h"
#include "cli/report/report_export.h"
#include "page/svg.h"
#include "view/shorten.h"
#include "view/wrap.h"

/* Boxes narrower than 1/PARTS of the width are omitted, unless --percent-limit is given. Boxes
 * narrower than 1/MOST_PARTS would be invisible. */
enum { PARTS = 1000, MOST_PARTS = 10000, CAPTION_COLUMNS = 150 };

static void shorten(struct tally_str *text, size_t start, size_t columns)
{
	tally_shorten(text, start, TALLY_SHORTEN_NAME, columns, "\xe2\x80\xa6");
}

static uint32_t parts_of(const struct report_config *config)
{
	double percent = config->rows.show.row_min_percent;

	if (percent <= 0)
		return PARTS;
	return (uint32_t)TALLY_MIN(100 / percent, (double)MOST_PARTS);
}

/* Append the health summary without the comment markers. */
static void add_caption(const struct report *report, struct tally_str *out)
{
	if (report->config->quiet)
		return;
	tally_health_text(report->session, &report->profile, false, out);
	tally_wrap_comments(out, 0, CAPTION_COLUMNS);
	tally_unmark_comments(out, 0);
}

/* Find the selected events that have samples. Returns 0 or -ENOMEM. The caller frees
 * `*ret_events`. */
static int find_events(struct report *report, struct tally_svg_event **ret_events, size_t *ret_nr)
{
	size_t all = report->profile.totals.len, nr = 0;
	struct tally_svg_event *events = calloc(all + 1, sizeof(*events));
	const struct tally_perfdata_event *event;

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < all && (event = tally_perfdata_event(report->session->data, i));
	     i++) {
		uint64_t shown = report->profile.totals.data[i].nr_shown;

		if (!report_wants_event(report, i))
			continue;
		report->rows_shown += shown;
		if (shown)
			events[nr++] = (struct tally_svg_event){event->name, (uint32_t)i};
	}
	*ret_events = events;
	*ret_nr = nr;
	return 0;
}

struct tally_document_place report_svg_place(const struct report_config *config)
{
	return (struct tally_document_place){.option = "--svg",
					     .path = config->svg,
					     .kinds = TALLY_OVERWRITE_PICTURE,
					     .force = config->force,
					     .is_binary = true};
}

static int write_document(struct report *report)
{
	const struct tally_document_place place = report_svg_place(report->config);
	struct tally_document document;
	int ret;

	tally_document_begin(&place, &document);
	report->document = &document;
	ret = report_flush(report);
	report->document = NULL;
	ret = tally_document_close(&document, ret);
	if (!ret && !report->config->quiet)
		tally_document_print(&document, "report", "SVG file");
	return ret;
}

int report_svg(struct report *report)
{
	struct tally_svg_event *events = NULL;
	struct tally_str caption = {0};
	struct tally_svg svg = {
		.profile = &report->profile,
		.title = tally_path_name(report->session->name),
		.parts = parts_of(report->config),
		.shorten = shorten,
	};
	int ret = find_events(report, &events, &svg.nr_events);

	add_caption(report, &caption);
	svg.events = events;
	svg.caption = tally_str_text(&caption);
	if (!ret)
		ret = tally_str_error(&caption);
	if (!ret)
		ret = tally_svg_write(&svg, &report->out);
	if (!ret)
		ret = write_document(report);
	free(events);
	tally_str_free(&caption);
	return ret;
}
