/* SPDX-License-Identifier: BSD-2-Clause */
/* The time view: one track for each thread or CPU. A marked span filters all other views. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/browser_view.h"
#include "view/shorten.h"
#include "view/tracks.h"

enum { SHARE = 8, GAP = 1, NAME_MIN = 8, NAME_MAX = 28, NAME_PART = 4, HEADING = 1 };

/* ---- making the timeline --------------------------------------------------------------- */

static int name_columns(const struct browser *browser)
{
	int wanted = browser->canvas.columns / NAME_PART;

	return TALLY_MIN(TALLY_MAX(wanted, NAME_MIN), NAME_MAX);
}

static void scroll(struct browser_spans *spans)
{
	uint32_t nr = (uint32_t)spans->timeline.strips.len;

	spans->strip = nr ? TALLY_MIN(spans->strip, nr - 1) : 0;
	spans->bin = TALLY_MIN(spans->bin, spans->nr_bins - 1);
	spans->mark = TALLY_MIN(spans->mark, spans->nr_bins - 1);
	spans->first = TALLY_MIN(spans->first, spans->strip);
	if (spans->strip >= spans->first + spans->rows)
		spans->first = spans->strip - spans->rows + 1;
}

/* Build the timeline. The selected span does not filter this view, so the time around the span
 * remains visible. */
static int timeline_make(struct browser *browser)
{
	struct browser_spans *spans = &browser->spans;
	struct tally_timeline_options options = {
		.event = browser->event,
		.by_cpu = spans->by_cpu,
		.nr_bins = spans->nr_bins,
		.first = spans->first,
		.most = spans->rows,
	};
	uint8_t *passes;
	int ret = browser_filter_passes(&browser->filter, browser->source->profile, &passes);

	if (ret)
		return ret;
	options.passes = passes;
	tally_timeline_free(&spans->timeline);
	ret = tally_timeline_build(browser->source->profile, &options, &spans->timeline);
	free(passes);
	spans->whole = 0;
	if (!ret)
		tally_vec_for_each (strip, &spans->timeline.strips)
			tally_sum_add(&spans->whole, strip->period);
	return ret;
}

/* Return true if the timeline was built with the same parameters and size. */
static bool is_made(const struct browser *browser, const struct browser_spans *was)
{
	const struct browser_spans *spans = &browser->spans;

	return spans->is_made && spans->generation == browser->generation &&
	       spans->rows == was->rows && spans->nr_bins == was->nr_bins &&
	       spans->made_by_cpu == spans->by_cpu && spans->made_first == spans->first;
}

static int timeline_rebuild(struct browser *browser)
{
	struct browser_spans *spans = &browser->spans;
	int ret = timeline_make(browser);

	spans->is_made = !ret;
	spans->generation = browser->generation;
	spans->made_by_cpu = spans->by_cpu;
	spans->made_first = spans->first;
	return ret;
}

static int spans_make(struct browser *browser)
{
	struct browser_spans *spans = &browser->spans, was = *spans;
	int left = name_columns(browser) + GAP + SHARE + GAP, ret = 0;

	spans->top = browser->room.top + HEADING;
	spans->left = left;
	spans->rows = (uint32_t)TALLY_MAX(browser->room.bottom - spans->top, 1);
	spans->nr_bins = (uint32_t)TALLY_MAX(browser->canvas.columns - left, 1);
	if (!is_made(browser, &was))
		ret = timeline_rebuild(browser);
	if (ret)
		return ret;
	scroll(spans);
	/* Bins exist only for the visible tracks, so rebuild the timeline after scrolling. */
	return spans->made_first == spans->first ? 0 : timeline_rebuild(browser);
}

/* ---- drawing ----------------------------------------------------------------------------- */

static void strip_name(const struct browser *browser, const struct tally_track *strip,
		       struct tally_str *out)
{
	const struct tally_machine *machine = browser->source->profile->machine;
	const struct tally_thread *thread;

	if (browser->spans.by_cpu) {
		tally_str_addf(out, "CPU %" PRIu32, strip->id);
		return;
	}
	thread = tally_machine_thread_at(machine, strip->id);
	tally_str_addf(out, "%" PRId32 " %s", thread->tid, tally_machine_comm(machine, thread));
	tally_str_escape(out, 0);
}

static void draw_strip(struct browser *browser, uint32_t number, int row)
{
	const struct browser_spans *spans = &browser->spans;
	const struct tally_track *strip = &spans->timeline.strips.data[number];
	uint64_t whole = browser->is_absolute ? browser->total : spans->whole;
	struct tally_str text = {0};
	int columns = name_columns(browser);

	strip_name(browser, strip, &text);
	tally_shorten(&text, 0, TALLY_SHORTEN_TEXT, (size_t)columns,
		      tally_canvas_mark(&browser->canvas));
	tally_canvas_draw(&browser->canvas, row, 0, columns, tally_str_text(&text),
			  number == spans->strip ? TALLY_INK_KEY : TALLY_INK_PLAIN);
	tally_str_clear(&text);
	tally_view_percent(strip->period, whole, &text);
	tally_canvas_draw(&browser->canvas, row, columns + GAP + SHARE - 1 - (int)text.len, SHARE,
			  tally_str_text(&text), TALLY_INK_PLAIN);
	tally_tracks_draw(&spans->timeline.bins[(size_t)(number - spans->first) * spans->nr_bins],
			  spans->nr_bins, spans->timeline.highest, row, spans->left,
			  &browser->canvas);
	tally_str_free(&text);
}

/* Find the bins that a time range covers. */
static void find_bins(const struct browser_spans *spans, uint64_t first, uint64_t last,
		      uint32_t *ret_from, uint32_t *ret_to)
{
	uint32_t from = 0, to = spans->nr_bins - 1;

	while (from + 1 < spans->nr_bins &&
	       tally_timeline_bin_start(&spans->timeline, spans->nr_bins, from + 1) <= first)
		from++;
	while (to > from && tally_timeline_bin_start(&spans->timeline, spans->nr_bins, to) > last)
		to--;
	*ret_from = from;
	*ret_to = to;
}

/* Get the range of highlighted bins: the span being marked, or else the selected span. */
static bool marked_bins(const struct browser *browser, uint32_t *ret_from, uint32_t *ret_to)
{
	const struct browser_spans *spans = &browser->spans;

	if (spans->has_mark) {
		*ret_from = TALLY_MIN(spans->mark, spans->bin);
		*ret_to = TALLY_MAX(spans->mark, spans->bin);
		return true;
	}
	if (!browser_filter_step(&browser->filter, BROWSER_ONLY_SPAN))
		return false;
	find_bins(spans, browser->filter.first, browser->filter.last, ret_from, ret_to);
	return true;
}

static double seconds_at(const struct browser *browser, uint32_t bin)
{
	const struct browser_spans *spans = &browser->spans;
	uint64_t at = tally_timeline_bin_start(&spans->timeline, spans->nr_bins, bin);

	return (double)(at - browser->filter.earliest) / 1e9;
}

static void draw_heading(struct browser *browser, uint32_t from, uint32_t to)
{
	char text[128];

	snprintf(text, sizeof(text), "%s  %.3f s to %.3f s  (--time +%.6f,+%.6f)",
		 browser->spans.by_cpu ? "CPUs" : "Threads", seconds_at(browser, from),
		 seconds_at(browser, to + 1), seconds_at(browser, from),
		 seconds_at(browser, to + 1));
	tally_canvas_fill(&browser->canvas, browser->room.top, 0, browser->canvas.columns,
			  TALLY_INK_HEADING);
	tally_canvas_draw(&browser->canvas, browser->room.top, 0, browser->canvas.columns, text,
			  TALLY_INK_HEADING);
}

/* Return the reason why there are no tracks, or NULL. */
static const char *missing_time_reason(const struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;

	if (!browser->spans.timeline.first)
		return "the samples of this event have no timestamps";
	if (browser->spans.by_cpu &&
	    !(source->fields(source->arg, browser->event) & PERF_SAMPLE_CPU))
		return "CPUs were not recorded: use record --sample-cpu; b shows threads";
	return NULL;
}

static int time_draw(struct browser *browser, struct tally_str *where)
{
	struct browser_spans *spans = &browser->spans;
	int ret = spans_make(browser);
	uint32_t from = 0, to = spans->nr_bins - 1, end;
	const char *why;
	bool is_marked;

	if (ret)
		return ret;
	why = missing_time_reason(browser);
	if (why) {
		browser_draw_text(browser, why);
		return 0;
	}
	end = TALLY_MIN(spans->first + spans->rows, (uint32_t)spans->timeline.strips.len);
	for (uint32_t i = spans->first; i < end; i++)
		draw_strip(browser, i, spans->top + (int)(i - spans->first));
	is_marked = marked_bins(browser, &from, &to);
	draw_heading(browser, from, to);
	for (int row = spans->top; is_marked && row < browser->room.bottom; row++)
		tally_canvas_select_part(&browser->canvas, row, spans->left + (int)from,
					 (int)(to - from) + 1);
	tally_canvas_select_part(&browser->canvas, spans->top + (int)(spans->strip - spans->first),
				 spans->left + (int)spans->bin, 1);
	tally_str_addf(where, "%" PRIu32 "/%zu", spans->strip + 1, spans->timeline.strips.len);
	return 0;
}

/* ---- keys -------------------------------------------------------------------------------- */

static int time_up(struct browser *browser)
{
	browser->spans.strip -= browser->spans.strip > 0;
	return 0;
}

static int time_down(struct browser *browser)
{
	browser->spans.strip++;
	return 0;
}

static int time_left(struct browser *browser)
{
	browser->spans.bin -= browser->spans.bin > 0;
	return 0;
}

static int time_right(struct browser *browser)
{
	browser->spans.bin++;
	return 0;
}

static int time_home(struct browser *browser)
{
	browser->spans.bin = 0;
	return 0;
}

static int time_last(struct browser *browser)
{
	browser->spans.bin = UINT32_MAX - 1;
	return 0;
}

/* Select the span from the mark to the cursor. */
static int span_set(struct browser *browser)
{
	const struct browser_spans *spans = &browser->spans;
	uint32_t from = TALLY_MIN(spans->mark, spans->bin), to = TALLY_MAX(spans->mark, spans->bin);
	char name[64];

	browser->filter.first = tally_timeline_bin_start(&spans->timeline, spans->nr_bins, from);
	browser->filter.last =
		tally_timeline_bin_start(&spans->timeline, spans->nr_bins, to + 1) - 1;
	browser->spans.has_mark = false;
	snprintf(name, sizeof(name), "%.3f s to %.3f s", seconds_at(browser, from),
		 seconds_at(browser, to + 1));
	browser_set_message(browser, "all views are limited to this span; x removes it");
	return browser_zoom(browser, BROWSER_ONLY_SPAN, NULL, name);
}

static int time_mark(struct browser *browser)
{
	struct browser_spans *spans = &browser->spans;

	if (missing_time_reason(browser))
		return 0;
	if (spans->has_mark)
		return span_set(browser);
	spans->has_mark = true;
	spans->mark = spans->bin;
	browser_set_message(browser, "span started: move to the other end and press space again");
	return 0;
}

static int time_unmark(struct browser *browser)
{
	browser->spans.has_mark = false;
	browser->is_stale |= browser_filter_drop(&browser->filter, BROWSER_ONLY_SPAN);
	return 0;
}

static int time_by(struct browser *browser)
{
	browser->spans.by_cpu = !browser->spans.by_cpu;
	browser->spans.strip = browser->spans.first = 0;
	return 0;
}

/* Filter by the thread or CPU of the track at the cursor. */
static int time_only(struct browser *browser)
{
	const struct browser_spans *spans = &browser->spans;
	const struct tally_track *strip = &spans->timeline.strips.data[spans->strip];
	const struct tally_machine *machine = browser->source->profile->machine;

	if (spans->has_mark)
		return time_mark(browser);
	if (missing_time_reason(browser) || spans->strip >= spans->timeline.strips.len)
		return 0;
	if (spans->by_cpu)
		return browser_zoom_number(browser, BROWSER_ONLY_CPU, "cpu", strip->id);
	return browser_zoom_number(browser, BROWSER_ONLY_THREAD, "tid",
				   tally_machine_thread_at(machine, strip->id)->tid);
}

/* Handle the mouse. Dragging marks a span; pressing and releasing at the same position is a
 * click. */
static int time_mouse(struct browser *browser, struct tally_mouse mouse)
{
	struct browser_spans *spans = &browser->spans;
	int strip = mouse.row - spans->top, bin = mouse.column - spans->left;

	if (mouse.act == TALLY_MOUSE_WHEEL_UP)
		return time_up(browser);
	if (mouse.act == TALLY_MOUSE_WHEEL_DOWN)
		return time_down(browser);
	if (strip < 0 || strip >= (int)spans->rows || missing_time_reason(browser))
		return 0;
	if (mouse.act == TALLY_MOUSE_DOWN) {
		spans->strip = spans->first + (uint32_t)strip;
		if (bin >= 0)
			spans->mark = spans->bin = (uint32_t)bin;
	}
	if (mouse.act == TALLY_MOUSE_UP && bin >= 0 && (uint32_t)bin != spans->mark &&
	    (uint32_t)bin < spans->nr_bins) {
		spans->bin = (uint32_t)bin;
		return span_set(browser);
	}
	return 0;
}

static void time_whole(const struct browser *browser, struct tally_str *out)
{
	const struct browser_spans *spans = &browser->spans;
	struct tally_str name = {0};

	if (missing_time_reason(browser) || spans->strip >= spans->timeline.strips.len)
		return;
	strip_name(browser, &spans->timeline.strips.data[spans->strip], &name);
	tally_str_addf(out, "%s: %s\n", spans->by_cpu ? "CPU track" : "Thread",
		       tally_str_text(&name));
	tally_str_free(&name);
}

static const struct browser_key time_keys[] = {
	{TALLY_PRESS_UP, time_up},
	{TALLY_PRESS_DOWN, time_down},
	{TALLY_PRESS_LEFT, time_left},
	{TALLY_PRESS_RIGHT, time_right},
	{TALLY_PRESS_HOME, time_home},
	{TALLY_PRESS_LAST, time_last},
	{' ', time_mark},
	{'x', time_unmark},
	{'b', time_by},
	{TALLY_PRESS_ENTER, time_only},
};

static const char *const time_help[] = {
	"arrows     go to another track or time",
	"space      mark the start of a span, then its end; or drag the mouse",
	"x          remove the span",
	"Enter      filter by this thread or CPU",
	"b          show threads or CPUs",
};

const struct browser_view browser_time = {
	.name = "time",
	.press = '6',
	.bar = "h Help|Space Mark|x Unmark|b CPUs/threads|Enter Only this|: Query|1-7 Views|q Quit",
	.help = time_help,
	.nr_help = TALLY_ARRAY_SIZE(time_help),
	.keys = time_keys,
	.nr_keys = TALLY_ARRAY_SIZE(time_keys),
	.draw = time_draw,
	.mouse = time_mouse,
	.no_function = "no function is selected: press 2 for rows, then a to annotate",
	.whole = time_whole,
};
