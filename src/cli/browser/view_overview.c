/* SPDX-License-Identifier: BSD-2-Clause */
/* The first view: health, threads, the heaviest functions, and a flame graph below them. */
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/browser_view.h"
#include "cli/browser/full_names.h"
#include "view/shorten.h"
#include "view/tracks.h"

enum { SHARE = 8, LINES_MAX = 8, FEW_ROWS = 8, WIDE = 160, GAP = 2, BAR = 8, LINES_LOWER = 3 };

/* A list's position on the screen. */
struct list_place {
	enum tally_top_list list;
	int row, column, columns, lines; /* the heading is in the row above `row` */
};

/* ---- layout -------------------------------------------------------------------------------- */

/* Select the lists to show. Without callchains, total cost is unknown; the list of lines is empty
 * without source lines. */
static int lists_find(const struct browser *browser, enum tally_top_list lists[TALLY_NR_TOP_LISTS])
{
	int nr = 0;

	for (int i = 0; i < TALLY_NR_TOP_LISTS; i++) {
		if (i == TALLY_TOP_TOTAL && !browser_has_callchains(browser))
			continue;
		if (i != TALLY_TOP_LINES || browser->lists.top.nr[i])
			lists[nr++] = (enum tally_top_list)i;
	}
	return nr;
}

/* Place lists next to each other below a heading in row `row`. */
static void places_fill(const struct browser *browser, const enum tally_top_list *lists, int nr,
			int row, int lines, struct list_place *places)
{
	int part = (browser->canvas.columns - (nr - 1) * GAP) / TALLY_MAX(nr, 1);

	for (int i = 0; i < nr; i++)
		places[i] = (struct list_place){lists[i], row + 1, i * (part + GAP), part, lines};
}

/* If the screen is wide enough, place all lists side by side; otherwise place two of them below the
 * others. With very few rows, show only the heaviest functions. */
static int places_find(const struct browser *browser, struct list_place places[TALLY_NR_TOP_LISTS],
		       int *ret_bottom)
{
	enum tally_top_list lists[TALLY_NR_TOP_LISTS];
	int top = browser->room.top, rows = browser->room.bottom - top;
	int nr = lists_find(browser, lists), columns = browser->canvas.columns;
	int upper = columns >= WIDE ? nr : TALLY_MIN(nr, 2);
	int lines = TALLY_MIN(TALLY_MAX((rows - 3) / 3, 1), LINES_MAX);

	if (rows < FEW_ROWS) {
		places[0] = (struct list_place){TALLY_TOP_SELF, top, 0, columns, rows};
		*ret_bottom = top + rows;
		return 1;
	}
	top += 2; /* rows of the headline and the health */
	places_fill(browser, lists, upper, top, lines, places);
	*ret_bottom = top + 1 + lines;
	if (upper == nr || rows < 2 * FEW_ROWS)
		return upper;
	places_fill(browser, lists + upper, nr - upper, *ret_bottom, LINES_LOWER, places + upper);
	*ret_bottom += 1 + LINES_LOWER;
	return nr;
}

/* Return a list's position, or NULL if the list is not shown. */
static const struct list_place *place_find(const struct list_place *places, int nr,
					   enum tally_top_list list)
{
	for (int i = 0; i < nr; i++) {
		if (places[i].list == list)
			return &places[i];
	}
	return NULL;
}

/* ---- drawing ------------------------------------------------------------------------------- */

static void draw_item(struct browser *browser, const struct list_place *place, uint32_t i, int row)
{
	const struct browser_lists *lists = &browser->lists;
	uint64_t period = tally_top_lists_period(&lists->top, place->list, i);
	uint64_t all = browser_whole(browser);
	int name = place->column + SHARE + GAP, end = place->column + place->columns;
	struct tally_str text = {0};
	bool is_hot = period && period >= all / 20;

	tally_view_percent(period, all, &text);
	tally_canvas_draw(&browser->canvas, row, place->column + SHARE - (int)text.len, SHARE,
			  tally_str_text(&text), is_hot ? TALLY_INK_HOT : TALLY_INK_PLAIN);
	tally_str_clear(&text);
	if (place->list == TALLY_TOP_THREADS && place->columns > 4 * BAR) {
		tally_bar_draw(period, all, row, name, BAR, &browser->canvas);
		name += BAR + 1;
	}
	tally_top_lists_text(&lists->top, place->list, i, (size_t)TALLY_MAX(end - name, 0),
			     tally_canvas_mark(&browser->canvas), &text);
	tally_canvas_draw(&browser->canvas, row, name, end - name, tally_str_text(&text),
			  TALLY_INK_PLAIN);
	if (lists->focus == place->list && lists->cursor[place->list] == i)
		tally_canvas_select_part(&browser->canvas, row, place->column, place->columns);
	tally_str_free(&text);
}

/* Return the first visible row, chosen so that the cursor is visible. */
static uint32_t list_first(const struct browser_lists *lists, const struct list_place *place)
{
	uint32_t cursor = lists->cursor[place->list], lines = (uint32_t)TALLY_MAX(place->lines, 1);

	return cursor >= lines ? cursor - lines + 1 : 0;
}

static void draw_heading(struct browser *browser, const struct list_place *place)
{
	static const char *const headings[] = {[TALLY_TOP_TOTAL] = "Top functions, total",
					       [TALLY_TOP_LINES] = "Hot lines",
					       [TALLY_TOP_THREADS] = "Threads"};
	const struct tally_area area = {place->row - 1, place->column, 1, place->columns};
	const char *text = headings[place->list];

	if (place->list == TALLY_TOP_SELF)
		text = tally_self_heading(browser_summarize(browser).inlined_apart);
	tally_canvas_fill(&browser->canvas, area.row, area.column, area.columns, TALLY_INK_HEADING);
	tally_canvas_draw(&browser->canvas, area.row, area.column, area.columns, text,
			  TALLY_INK_HEADING);
}

static void draw_list(struct browser *browser, const struct list_place *place, bool has_heading)
{
	const struct browser_lists *lists = &browser->lists;
	uint32_t first = list_first(lists, place);

	if (has_heading)
		draw_heading(browser, place);
	for (int i = 0; i < place->lines && first + (uint32_t)i < lists->top.nr[place->list]; i++)
		draw_item(browser, place, first + (uint32_t)i, place->row + i);
}

/* Draw a line of text, and cut what does not fit. */
static void draw_text(struct browser *browser, struct tally_str *line, int row, enum tally_ink ink)
{
	tally_shorten(line, 0, TALLY_SHORTEN_END, (size_t)browser->canvas.columns,
		      tally_canvas_mark(&browser->canvas));
	tally_canvas_draw(&browser->canvas, row, 0, browser->canvas.columns, tally_str_text(line),
			  ink);
	tally_str_free(line);
}

/* Draw the headline and the first health line; the key `i` shows all lines. */
static void draw_head(struct browser *browser)
{
	const struct tally_summary summary = browser_summarize(browser);
	struct tally_str headline = {0}, health = {0};

	tally_summary_headline(&summary, &browser->lists.top, &headline);
	draw_text(browser, &headline, browser->room.top, TALLY_INK_PLAIN);
	tally_str_add_bytes(&health, summary.health, strcspn(summary.health, "\n"));
	draw_text(browser, &health, browser->room.top + 1, TALLY_INK_DIM);
}

static int draw_flame(struct browser *browser, int row)
{
	struct tally_area area = {row, 0, browser->room.bottom - row, browser->canvas.columns};
	int ret;

	if (area.rows < 1)
		return 0;
	ret = browser_pane_build(&browser->flame, browser, &area);
	if (!ret)
		browser_pane_draw(&browser->flame, browser, false);
	return ret;
}

static void overview_function(struct browser *browser)
{
	const struct browser_lists *lists = &browser->lists;
	enum tally_top_list list = lists->focus;
	uint32_t frame;

	if (list == TALLY_TOP_THREADS || lists->cursor[list] >= lists->top.nr[list])
		return;
	frame = tally_top_lists_row(&lists->top, list, lists->cursor[list])->frame;
	browser_set_function(browser, browser->chains.functions[frame]);
}

static int overview_draw(struct browser *browser, struct tally_str *where)
{
	struct list_place places[TALLY_NR_TOP_LISTS];
	bool is_whole = browser->room.bottom - browser->room.top >= FEW_ROWS;
	int bottom, nr, ret = browser_chains_build(browser);

	if (!ret)
		ret = browser_lists_build(&browser->lists, browser);
	if (ret)
		return ret;
	nr = places_find(browser, places, &bottom);
	if (!place_find(places, nr, browser->lists.focus))
		browser->lists.focus = places[0].list;
	overview_function(browser);
	if (is_whole)
		draw_head(browser);
	for (int i = 0; i < nr; i++)
		draw_list(browser, &places[i], is_whole);
	return draw_flame(browser, bottom + (bottom < browser->room.bottom - 3));
}

/* ---- keys ---------------------------------------------------------------------------------- */

static int overview_up(struct browser *browser)
{
	uint32_t *cursor = &browser->lists.cursor[browser->lists.focus];

	*cursor -= *cursor > 0;
	return 0;
}

static int overview_down(struct browser *browser)
{
	uint32_t *cursor = &browser->lists.cursor[browser->lists.focus];

	*cursor += *cursor + 1 < browser->lists.top.nr[browser->lists.focus];
	return 0;
}

/* Move the focus to the next visible list. */
static int focus_move(struct browser *browser, int way)
{
	struct list_place places[TALLY_NR_TOP_LISTS];
	int bottom, nr = places_find(browser, places, &bottom), to = (int)browser->lists.focus;

	do {
		to = (to + TALLY_NR_TOP_LISTS + way) % TALLY_NR_TOP_LISTS;
	} while (!place_find(places, nr, (enum tally_top_list)to));
	browser->lists.focus = (enum tally_top_list)to;
	return 0;
}

static int overview_left(struct browser *browser)
{
	return focus_move(browser, -1);
}

static int overview_right(struct browser *browser)
{
	return focus_move(browser, 1);
}

static int overview_enter(struct browser *browser)
{
	const struct browser_lists *lists = &browser->lists;
	const struct tally_row *row;

	if (lists->cursor[lists->focus] >= lists->top.nr[lists->focus])
		return 0;
	if (lists->focus != TALLY_TOP_THREADS)
		return browser_switch_function(browser, browser->here);
	row = tally_top_lists_row(&lists->top, TALLY_TOP_THREADS, lists->cursor[TALLY_TOP_THREADS]);
	return browser_zoom_number(browser, BROWSER_ONLY_THREAD, "tid",
				   lists->top.threads.groups.data[row->group].tid);
}

/* Handle the mouse. A click selects a row, and a second click acts as Enter. A click on the flame
 * graph opens it. */
static int overview_mouse(struct browser *browser, struct tally_mouse mouse)
{
	struct list_place places[TALLY_NR_TOP_LISTS];
	int bottom, nr = places_find(browser, places, &bottom);

	if (mouse.act == TALLY_MOUSE_WHEEL_UP)
		return overview_up(browser);
	if (mouse.act == TALLY_MOUSE_WHEEL_DOWN)
		return overview_down(browser);
	if (mouse.act != TALLY_MOUSE_DOWN && mouse.act != TALLY_MOUSE_TWICE)
		return 0;
	for (int i = 0; i < nr; i++) {
		const struct list_place *place = &places[i];
		uint32_t *cursor = &browser->lists.cursor[place->list];
		uint32_t at =
			list_first(&browser->lists, place) + (uint32_t)(mouse.row - place->row);

		if (mouse.row < place->row || mouse.row >= place->row + place->lines ||
		    mouse.column < place->column || mouse.column >= place->column + place->columns)
			continue;
		if (at >= browser->lists.top.nr[place->list])
			return 0;
		if (browser->lists.focus == place->list && *cursor == at)
			return overview_enter(browser);
		browser->lists.focus = place->list;
		*cursor = at;
		return 0;
	}
	if (mouse.row > bottom && browser_pane_click(&browser->flame, mouse.row, mouse.column))
		browser_switch_view(browser, &browser_flame, browser->pivot);
	return 0;
}

static void overview_whole(const struct browser *browser, struct tally_str *out)
{
	const struct browser_lists *lists = &browser->lists;
	const struct tally_row *row;
	const struct tally_group *group;

	if (lists->cursor[lists->focus] >= lists->top.nr[lists->focus])
		return;
	row = tally_top_lists_row(&lists->top, lists->focus, lists->cursor[lists->focus]);
	if (lists->focus != TALLY_TOP_THREADS) {
		browser_names_add_frame(browser, row->frame, out);
		return;
	}
	group = &lists->top.threads.groups.data[row->group];
	browser_names_add_thread(browser, group->tid, group->comm, out);
}

static const struct browser_key overview_keys[] = {
	{TALLY_PRESS_UP, overview_up},       {TALLY_PRESS_DOWN, overview_down},
	{TALLY_PRESS_LEFT, overview_left},   {TALLY_PRESS_RIGHT, overview_right},
	{TALLY_PRESS_ENTER, overview_enter},
};

static const char *const overview_help[] = {
	"arrows     go to another row or list",
	"Enter      show callers and callees of a function; filter by a thread",
};

const struct browser_view browser_overview = {
	.name = "overview",
	.press = '1',
	.bar = "h Help|1 Overview|2 Rows|3 Flame|4 Callers|5 Annotate|6 Time|7 Stacks|Enter Look|: "
	       "Query|q "
	       "Quit",
	.help = overview_help,
	.nr_help = TALLY_ARRAY_SIZE(overview_help),
	.keys = overview_keys,
	.nr_keys = TALLY_ARRAY_SIZE(overview_keys),
	.draw = overview_draw,
	.mouse = overview_mouse,
	.no_function = "a thread is selected: Enter filters by it, arrows go to functions",
	.whole = overview_whole,
};
