/* SPDX-License-Identifier: BSD-2-Clause */
/* The flame graph view, and the sandwich view, which shows a function's callers above and its
 * callees below. */
#include <errno.h>
#include <inttypes.h>

#include "base/arith.h"
#include "cli/browser/browser_view.h"
#include "cli/browser/full_names.h"
#include "profile/frame_text.h"

/* ---- text about the selected cell ---------------------------------------------------- */

/* Return the label for the part of a cell that has no children: self time or, in a caller tree, the
 * outermost frames. */
static const char *end_of(const struct browser_pane *pane)
{
	return pane->way == TALLY_CALLTREE_CALLERS ? "outermost in" : "self";
}

static void name_node(const struct browser *browser, uint32_t frame, struct tally_str *out)
{
	const struct tally_profile *profile = browser->source->profile;
	size_t columns = (size_t)TALLY_MAX(browser->canvas.columns / 2, 10);
	const char *mark = tally_canvas_mark(&browser->canvas);

	tally_flame_name(profile, frame, columns, mark, out);
	tally_flame_add_file(profile, frame, columns, mark, out);
}

/* Append "name 12.30%, itself 4.50%, 678 samples" for the selected cell. */
static void add_node(const struct browser *browser, const struct browser_pane *pane,
		     struct tally_str *out)
{
	const struct tally_graph_node *node = browser_pane_node(pane);
	const struct tally_profile *profile = browser->source->profile;
	uint64_t whole = browser_whole(browser), selected = browser->selection.period;
	bool is_of_all = whole == browser->total;

	if (!node)
		return;
	if (node->frame == TALLY_FRAME_NONE)
		tally_str_add(out, "all");
	else
		name_node(browser, node->frame, out);
	tally_str_add(out, "  ");
	tally_view_percent(node->period, whole, out);
	if (browser_is_partial(browser)) {
		tally_str_add(out, ", ");
		tally_view_percent(node->period, is_of_all ? selected : browser->total, out);
		tally_str_add(out, is_of_all ? " of the selection" : " of all");
	}
	if (node->self) {
		tally_str_addf(out, ", %s ", end_of(pane));
		tally_view_percent(node->self, whole, out);
	}
	if (node->frame != TALLY_FRAME_NONE &&
	    tally_frame_is_inlined(&profile->frames.all.data[node->frame]))
		tally_str_add(out, ", inlined");
	tally_str_addf(out, ", %" PRIu64 " sample%s", node->nr, tally_plural(node->nr));
}

static void draw_line(struct browser *browser, const struct tally_str *text, int row)
{
	tally_canvas_draw(&browser->canvas, row, 0, browser->canvas.columns, tally_str_text(text),
			  TALLY_INK_PLAIN);
}

static void add_search(const struct browser_pane *pane, const struct browser *browser,
		       struct tally_str *out)
{
	if (!pane->matches)
		return;
	tally_str_addf(out, "%s: ", tally_str_text(&pane->search));
	tally_view_percent(pane->matched, browser_whole(browser), out);
}

/* ---- flame graph ----------------------------------------------------------------------- */

static int flame_draw(struct browser *browser, struct tally_str *where)
{
	struct browser_pane *pane = &browser->flame;
	int rows = browser->room.bottom - browser->room.top;
	bool has_line = rows > 2;
	struct tally_area area = {browser->room.top + has_line, 0, rows - has_line,
				  browser->canvas.columns};
	struct tally_str text = {0};
	int ret = browser_pane_build(pane, browser, &area);

	if (ret)
		return ret;
	browser_set_function(browser, browser_pane_function(pane));
	add_node(browser, pane, &text);
	if (has_line)
		draw_line(browser, &text, browser->room.top);
	browser_pane_draw(pane, browser, true);
	add_search(pane, browser, where);
	tally_str_addf(where, "%s%s%s", where->len ? "  " : "",
		       pane->way == TALLY_CALLTREE_CALLERS ? "callers" : "callees",
		       pane->collapses ? ", recursion collapsed" : "");
	tally_str_free(&text);
	return 0;
}

/* Return the pane that keys apply to. */
static struct browser_pane *pane_of(struct browser *browser)
{
	if (browser->view == &browser_flame)
		return &browser->flame;
	return browser->at_callers ? &browser->callers : &browser->callees;
}

static int pane_up(struct browser *browser)
{
	browser_pane_move(pane_of(browser), TALLY_PRESS_UP);
	return 0;
}

static int pane_down(struct browser *browser)
{
	browser_pane_move(pane_of(browser), TALLY_PRESS_DOWN);
	return 0;
}

static int pane_left(struct browser *browser)
{
	browser_pane_move(pane_of(browser), TALLY_PRESS_LEFT);
	return 0;
}

static int pane_right(struct browser *browser)
{
	browser_pane_move(pane_of(browser), TALLY_PRESS_RIGHT);
	return 0;
}

static int pane_home(struct browser *browser)
{
	browser_pane_move(pane_of(browser), TALLY_PRESS_HOME);
	return 0;
}

static int flame_zoom(struct browser *browser)
{
	return browser_pane_zoom(&browser->flame);
}

static int flame_out(struct browser *browser)
{
	browser_pane_out(&browser->flame, false);
	return 0;
}

static int flame_all(struct browser *browser)
{
	browser_pane_out(&browser->flame, true);
	return 0;
}

static int flame_reverse(struct browser *browser)
{
	browser_pane_reset(&browser->flame);
	browser->flame.way = browser->flame.way == TALLY_CALLTREE_CALLEES ? TALLY_CALLTREE_CALLERS
									  : TALLY_CALLTREE_CALLEES;
	browser_set_message(browser,
			    browser->flame.way == TALLY_CALLTREE_CALLERS
				    ? "reversed: leaf functions at the top, their callers below"
				    : "callers at the top, callees below");
	return 0;
}

static int flame_collapse(struct browser *browser)
{
	bool collapses = !browser->flame.collapses;

	browser_pane_reset(&browser->flame);
	browser->flame.collapses = collapses;
	browser_set_message(browser, collapses ? "merge recursive calls into one cell"
					       : "recursion is shown");
	return 0;
}

/* Choose the function that a search found. */
static void choose_found(struct browser *browser)
{
	browser->has_moved = true;
	browser_choose_function(browser, browser_pane_function(&browser->flame));
}

static int flame_answer(struct browser *browser, const char *text)
{
	const char *why = NULL;
	int ret = browser_pane_search(&browser->flame, browser, text, &why);

	if (ret == -EINVAL) {
		browser_set_message(browser, "%s", why);
		return 0;
	}
	if (ret || !*text)
		return ret;
	if (browser_pane_next(&browser->flame))
		choose_found(browser);
	else
		browser_set_message(browser, "no visible cell matches");
	return 0;
}

static int flame_search(struct browser *browser)
{
	browser_prompt_open(&browser->prompt,
			    "mark functions: ", tally_str_text(&browser->flame.search),
			    flame_answer);
	return 0;
}

static int flame_next(struct browser *browser)
{
	if (browser_pane_next(&browser->flame))
		choose_found(browser);
	else
		browser_set_message(browser, "nothing is marked: press / to search");
	return 0;
}

static int pane_function(struct browser *browser)
{
	return browser_switch_function(browser, browser_pane_function(pane_of(browser)));
}

/* Append the full name of the selected cell; the root has no name. */
static void pane_whole(const struct browser *browser, struct tally_str *out)
{
	const struct browser_pane *pane = &browser->flame;

	if (browser->view != &browser_flame)
		pane = browser->at_callers ? &browser->callers : &browser->callees;
	browser_names_add_frame(browser, browser_pane_function(pane), out);
}

static const struct browser_key flame_keys[] = {
	{TALLY_PRESS_UP, pane_up},
	{TALLY_PRESS_DOWN, pane_down},
	{TALLY_PRESS_LEFT, pane_left},
	{TALLY_PRESS_RIGHT, pane_right},
	{TALLY_PRESS_HOME, pane_home},
	{TALLY_PRESS_ENTER, flame_zoom},
	{'+', flame_zoom},
	{TALLY_PRESS_BACKSPACE, flame_out},
	{'-', flame_out},
	{'0', flame_all},
	{'r', flame_reverse},
	{'c', flame_collapse},
	{'/', flame_search},
	{'n', flame_next},
};

static const char *const flame_help[] = {
	"arrows     go to another cell      Home    go to the root",
	"Enter +    zoom to a cell          - Backspace  zoom out   0  zoom out completely",
	"r          reverse: show callers below leaf functions",
	"c          collapse recursion      / n     mark functions, next match",
	"4          show callers and callees",
	"self       cost of the function without callees and inlined functions;",
	"           reversed: samples in which it is the outermost function",
};

static int flame_mouse(struct browser *browser, struct tally_mouse mouse)
{
	struct browser_pane *pane = &browser->flame;
	uint32_t before = pane->selected;

	if (mouse.act == TALLY_MOUSE_WHEEL_UP)
		return pane_up(browser);
	if (mouse.act == TALLY_MOUSE_WHEEL_DOWN)
		return pane_down(browser);
	if (mouse.act != TALLY_MOUSE_DOWN && mouse.act != TALLY_MOUSE_TWICE)
		return 0;
	if (!browser_pane_click(pane, mouse.row, mouse.column))
		return mouse.row > browser->room.top || !pane->prefix.len ? 0 : flame_out(browser);
	return pane->selected == before ? flame_zoom(browser) : 0;
}

const struct browser_view browser_flame = {
	.name = "flame graph",
	.press = '3',
	.bar = "h Help|Enter Zoom|- Out|/ Mark|r Reversed|c Collapse|4 Callers|: Query|1-6 "
	       "Views|q Quit",
	.help = flame_help,
	.nr_help = TALLY_ARRAY_SIZE(flame_help),
	.keys = flame_keys,
	.nr_keys = TALLY_ARRAY_SIZE(flame_keys),
	.draw = flame_draw,
	.mouse = flame_mouse,
	.no_function = "the root is selected: use arrows to go to a function",
	.whole = pane_whole,
};

/* ---- sandwich ---------------------------------------------------------------------------- */

static int half_make(struct browser *browser, struct browser_pane *pane,
		     enum tally_calltree_way way, int row, int rows)
{
	struct tally_area area = {row, 0, rows, browser->canvas.columns};

	if (!pane->has_function || pane->function != browser->pivot)
		browser_pane_reset(pane);
	pane->way = way;
	pane->upwards = way == TALLY_CALLTREE_CALLERS;
	pane->has_function = true;
	pane->function = browser->pivot;
	return browser_pane_build(pane, browser, &area);
}

static int sandwich_draw(struct browser *browser, struct tally_str *where)
{
	int rows = browser->room.bottom - browser->room.top - 1, above = rows / 2;
	struct tally_str text = {0};
	int ret;

	if (browser->pivot == TALLY_FRAME_NONE) {
		tally_str_add(&text, "no function is selected: press 2 for rows, then Enter");
		draw_line(browser, &text, browser->room.top);
		tally_str_free(&text);
		return 0;
	}
	ret = half_make(browser, &browser->callers, TALLY_CALLTREE_CALLERS, browser->room.top,
			above);
	if (!ret)
		ret = half_make(browser, &browser->callees, TALLY_CALLTREE_CALLEES,
				browser->room.top + above + 1, rows - above);
	if (ret)
		return ret;
	add_node(browser, pane_of(browser), &text);
	draw_line(browser, &text, browser->room.top + above);
	browser_pane_draw(&browser->callers, browser, browser->at_callers);
	browser_pane_draw(&browser->callees, browser, !browser->at_callers);
	browser_set_function(browser, browser_pane_function(pane_of(browser)));
	tally_str_add(where, "callers above, callees below");
	tally_str_free(&text);
	return 0;
}

/* Move up. From the root of the lower half, this enters the upper half; sandwich_down() does the
 * reverse. */
static int sandwich_up(struct browser *browser)
{
	if (!browser->at_callers && !browser->callees.selected) {
		browser->at_callers = true;
		browser->callers.selected = 0;
	}
	return pane_up(browser);
}

static int sandwich_down(struct browser *browser)
{
	if (browser->at_callers && !browser->callers.selected) {
		browser->at_callers = false;
		browser->callees.selected = 0;
	}
	return pane_down(browser);
}

static const struct browser_key sandwich_keys[] = {
	{TALLY_PRESS_UP, sandwich_up}, {TALLY_PRESS_DOWN, sandwich_down},
	{TALLY_PRESS_LEFT, pane_left}, {TALLY_PRESS_RIGHT, pane_right},
	{TALLY_PRESS_HOME, pane_home}, {TALLY_PRESS_ENTER, pane_function},
};

static const char *const sandwich_help[] = {
	"arrows     go to a caller (up) or a callee (down)",
	"Enter      show callers and callees of that function",
	"self       callees: cost without inlined functions;",
	"           callers: samples in which it is the outermost function",
};

static int sandwich_mouse(struct browser *browser, struct tally_mouse mouse)
{
	uint32_t before = pane_of(browser)->selected;

	if (mouse.act == TALLY_MOUSE_WHEEL_UP)
		return sandwich_up(browser);
	if (mouse.act == TALLY_MOUSE_WHEEL_DOWN)
		return sandwich_down(browser);
	if (mouse.act != TALLY_MOUSE_DOWN && mouse.act != TALLY_MOUSE_TWICE)
		return 0;
	for (int half = 0; half < 2; half++) {
		struct browser_pane *pane = half ? &browser->callees : &browser->callers;

		if (!browser_pane_click(pane, mouse.row, mouse.column))
			continue;
		if (browser->at_callers == !half && pane->selected == before)
			return pane_function(browser);
		browser->at_callers = !half;
	}
	return 0;
}

const struct browser_view browser_sandwich = {
	.name = "callers",
	.press = '4',
	.bar = "h Help|Enter This function|Esc Back|: Query|1-7 Views|q Quit",
	.help = sandwich_help,
	.nr_help = TALLY_ARRAY_SIZE(sandwich_help),
	.keys = sandwich_keys,
	.nr_keys = TALLY_ARRAY_SIZE(sandwich_keys),
	.draw = sandwich_draw,
	.mouse = sandwich_mouse,
	.no_function = "no function is selected: press 2 for rows, then Enter",
	.whole = pane_whole,
	.of_function = true,
};
