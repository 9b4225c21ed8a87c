/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks view: the callchains of one thread in the order of time, callers above callees. */
#include <inttypes.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/browser_view.h"
#include "cli/browser/full_names.h"

enum { HEADING = 2 };

/* ---- chart --------------------------------------------------------------------------------- */

/* Find the thread and the time range. Return false if there are none. */
static bool chart_range(struct browser *browser)
{
	struct browser_chart *view = &browser->chart;
	const struct tally_top_lists *lists = &browser->lists.top;
	const struct tally_row *row;

	if (!lists->nr[TALLY_TOP_THREADS])
		return false;
	view->rank %= lists->nr[TALLY_TOP_THREADS];
	row = tally_top_lists_row(lists, TALLY_TOP_THREADS, view->rank);
	view->tid = lists->threads.groups.data[row->group].tid;
	view->first = browser->filter.timed.len ? browser->first : browser->filter.earliest;
	view->last = browser->filter.timed.len ? browser->last : browser->filter.latest;
	if (browser_filter_step(&browser->filter, BROWSER_ONLY_SPAN)) {
		view->first = browser->filter.first;
		view->last = browser->filter.last;
	}
	return view->last > view->first;
}

static int chart_make(struct browser *browser, uint32_t nr_bins)
{
	struct browser_chart *view = &browser->chart;
	struct tally_stack_chart_options options = {
		.selection = browser_filter_options(&browser->filter, browser->event),
		.fold = browser_filter_fold(&browser->filter),
		.tid = view->tid,
		.is_time = browser->source->is_time &&
			   browser->source->is_time(browser->source->arg, browser->event),
		.first = view->first,
		.last = view->last,
		.nr_bins = nr_bins,
	};
	uint8_t *passes;
	int ret = browser_filter_passes(&browser->filter, browser->source->profile, &passes);

	if (ret)
		return ret;
	options.selection.passes = passes;
	tally_stack_chart_free(&view->chart);
	ret = tally_stack_chart_build(browser->source->profile, &options, &view->chart);
	free(passes);
	view->is_made = !ret;
	view->generation = browser->generation;
	view->nr_bins = nr_bins;
	/* Begin where the thread begins. */
	view->bin = 0;
	while (!ret && view->bin + 1 < nr_bins && !view->chart.bins.data[view->bin].nr)
		view->bin++;
	return ret;
}

void browser_chart_free(struct browser_chart *view)
{
	tally_stack_chart_free(&view->chart);
	view->is_made = false;
}

/* Return the function of a bin at a level, or TALLY_FRAME_NONE. */
static uint32_t function_at(const struct browser_chart *view, uint32_t bin, uint32_t level)
{
	const struct tally_chart_bin *of = &view->chart.bins.data[bin];

	return level < of->nr ? view->chart.functions.data[of->first + level] : TALLY_FRAME_NONE;
}

/* Return the end of the cell that begins at a bin: the first bin that differs. */
static uint32_t cell_end(const struct browser_chart *view, uint32_t bin, uint32_t level)
{
	const struct tally_chart_bin *bins = view->chart.bins.data;

	for (bin++; bin < view->nr_bins && bins[bin].shared > level; bin++)
		;
	return bin;
}

static uint32_t cell_start(const struct browser_chart *view, uint32_t bin, uint32_t level)
{
	while (bin && view->chart.bins.data[bin].shared > level)
		bin--;
	return bin;
}

/* ---- drawing ------------------------------------------------------------------------------- */

static double seconds_at(const struct browser *browser, uint32_t bin)
{
	const struct browser_chart *view = &browser->chart;
	double span = (double)(view->last - view->first);

	return ((double)(view->first - browser->filter.earliest) +
		span * (double)bin / (double)view->nr_bins) /
	       1e9;
}

static void draw_cell(struct browser *browser, uint32_t from, uint32_t to, uint32_t level, int row)
{
	const struct browser_chart *view = &browser->chart;
	const struct tally_profile *profile = browser->source->profile;
	uint32_t function = function_at(view, from, level);
	enum tally_ink ink = tally_flame_ink(profile, function);
	struct tally_str text = {0};
	int columns = (int)(to - from);

	if (columns > 1)
		tally_flame_name(profile, function, (size_t)columns - 1,
				 tally_canvas_mark(&browser->canvas), &text);
	tally_canvas_fill(&browser->canvas, row, (int)from, columns, ink);
	tally_canvas_draw(&browser->canvas, row, (int)from, 1, tally_flame_edge(&browser->canvas),
			  ink);
	tally_canvas_draw(&browser->canvas, row, (int)from + 1, columns - 1, tally_str_text(&text),
			  ink);
	if (level == view->level && view->bin >= from && view->bin < to)
		tally_canvas_select_part(&browser->canvas, row, (int)from, columns);
	tally_str_free(&text);
}

static void draw_level(struct browser *browser, uint32_t level, int row)
{
	const struct browser_chart *view = &browser->chart;

	for (uint32_t bin = 0, to; bin < view->nr_bins; bin = to) {
		to = cell_end(view, bin, level);
		if (function_at(view, bin, level) != TALLY_FRAME_NONE)
			draw_cell(browser, bin, to, level, row);
	}
}

static void draw_line(struct browser *browser, struct tally_str *text, int row, enum tally_ink ink)
{
	tally_canvas_fill(&browser->canvas, row, 0, browser->canvas.columns, ink);
	tally_canvas_draw(&browser->canvas, row, 0, browser->canvas.columns, tally_str_text(text),
			  ink);
	tally_str_free(text);
}

static void draw_heading(struct browser *browser)
{
	const struct browser_chart *view = &browser->chart;
	struct tally_str text = {0};

	tally_str_add(&text, "Thread ");
	tally_top_lists_text(&browser->lists.top, TALLY_TOP_THREADS, view->rank, 40,
			     tally_canvas_mark(&browser->canvas), &text);
	tally_str_addf(&text, "  %.3f s to %.3f s; n: next thread", seconds_at(browser, 0),
		       seconds_at(browser, view->nr_bins));
	draw_line(browser, &text, browser->room.top, TALLY_INK_HEADING);
}

static void draw_cursor_line(struct browser *browser, uint32_t function)
{
	const struct browser_chart *view = &browser->chart;
	uint32_t from = cell_start(view, view->bin, view->level);
	struct tally_str text = {0};

	if (function == TALLY_FRAME_NONE)
		tally_str_add(&text, "idle");
	else
		tally_flame_name(browser->source->profile, function,
				 (size_t)TALLY_MAX(browser->canvas.columns - 40, 10),
				 tally_canvas_mark(&browser->canvas), &text);
	tally_str_addf(&text, "  %.3f s to %.3f s", seconds_at(browser, from),
		       seconds_at(browser, cell_end(view, from, view->level)));
	draw_line(browser, &text, browser->room.top + 1, TALLY_INK_PLAIN);
}

/* Keep the cursor in the chart, and visible. */
static void cursor_limit(struct browser_chart *view, uint32_t rows)
{
	uint32_t depth;

	view->bin = TALLY_MIN(view->bin, view->nr_bins - 1);
	depth = view->chart.bins.data[view->bin].nr;
	view->level = TALLY_MIN(view->level, depth ? depth - 1 : 0);
	view->top = TALLY_MIN(view->top, view->level);
	if (view->level >= view->top + rows)
		view->top = view->level - rows + 1;
}

static int stacks_draw(struct browser *browser, struct tally_str *where)
{
	struct browser_chart *view = &browser->chart;
	uint32_t columns = (uint32_t)TALLY_MAX(browser->canvas.columns, 1), function;
	int top = browser->room.top + HEADING, rows = TALLY_MAX(browser->room.bottom - top, 1);
	int32_t tid = view->tid;
	int ret = browser_chains_build(browser);

	if (!ret)
		ret = browser_lists_build(&browser->lists, browser);
	if (ret)
		return ret;
	if (!chart_range(browser)) {
		browser_draw_text(browser, "there are no samples with times");
		return 0;
	}
	if (!view->is_made || view->generation != browser->generation || view->nr_bins != columns ||
	    view->tid != tid)
		ret = chart_make(browser, columns);
	if (ret)
		return ret;
	cursor_limit(view, (uint32_t)rows);
	function = function_at(view, view->bin, view->level);
	browser_set_function(browser, function);
	draw_heading(browser);
	draw_cursor_line(browser, function);
	for (int i = 0; i < rows && view->top + (uint32_t)i < view->chart.depth; i++)
		draw_level(browser, view->top + (uint32_t)i, top + i);
	tally_str_addf(where, "%" PRIu32 "/%" PRIu32 " levels", view->level + 1, view->chart.depth);
	return 0;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static int stacks_left(struct browser *browser)
{
	struct browser_chart *view = &browser->chart;
	uint32_t from = cell_start(view, view->bin, view->level);

	view->bin = from ? from - 1 : 0;
	return 0;
}

static int stacks_right(struct browser *browser)
{
	struct browser_chart *view = &browser->chart;
	uint32_t to = cell_end(view, view->bin, view->level);

	view->bin = TALLY_MIN(to, view->nr_bins - 1);
	return 0;
}

static int stacks_up(struct browser *browser)
{
	browser->chart.level -= browser->chart.level > 0;
	return 0;
}

static int stacks_down(struct browser *browser)
{
	browser->chart.level++;
	return 0;
}

static int stacks_home(struct browser *browser)
{
	browser->chart.bin = browser->chart.level = 0;
	return 0;
}

static int stacks_enter(struct browser *browser)
{
	return browser_switch_function(browser, browser->here);
}

static int stacks_next(struct browser *browser)
{
	browser->chart.rank++;
	return 0;
}

static const struct browser_key stacks_keys[] = {
	{TALLY_PRESS_UP, stacks_up},
	{TALLY_PRESS_DOWN, stacks_down},
	{TALLY_PRESS_LEFT, stacks_left},
	{TALLY_PRESS_RIGHT, stacks_right},
	{TALLY_PRESS_HOME, stacks_home},
	{TALLY_PRESS_ENTER, stacks_enter},
	{'n', stacks_next},
};

static const char *const stacks_help[] = {
	"arrows     go to another function or time",
	"n          the next thread",
	"Enter      show callers and callees of the function",
	"blank      the thread was idle, or its samples are filtered out",
};

const struct browser_view browser_stacks = {
	.name = "stacks",
	.press = '7',
	.bar = "h Help|n Thread|Enter Callers|a Annotate|6 Time|m My code|I Inlined|: Query|Esc "
	       "Back|q Quit",
	.help = stacks_help,
	.nr_help = TALLY_ARRAY_SIZE(stacks_help),
	.keys = stacks_keys,
	.nr_keys = TALLY_ARRAY_SIZE(stacks_keys),
	.draw = stacks_draw,
	.no_function = "the thread is idle at the cursor",
};
