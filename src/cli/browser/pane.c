/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/pane.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/browser/browser_state.h"
#include "profile/pattern.h"
#include "profile/short_names.h"

enum { NO_CELL = UINT32_MAX };

/* ---- layout ---------------------------------------------------------------------- */

/* Return the number of rows above the tree, which show the path to the zoomed root. */
static int rows_above(const struct browser_pane *pane)
{
	return (int)TALLY_MIN(pane->prefix.len, (size_t)TALLY_MAX(pane->area.rows / 3, 0));
}

static int rows_of_tree(const struct browser_pane *pane)
{
	return TALLY_MAX(pane->area.rows - rows_above(pane), 0);
}

static void pane_drop(struct browser_pane *pane)
{
	tally_calltree_free(&pane->tree);
	tally_flame_free(&pane->flame);
	pane->is_made = false;
}

void browser_pane_free(struct browser_pane *pane)
{
	pane_drop(pane);
	tally_vec_free(&pane->prefix);
	tally_vec_free(&pane->path);
	tally_str_free(&pane->search);
	free(pane->matches);
	*pane = (struct browser_pane){0};
}

void browser_pane_reset(struct browser_pane *pane)
{
	pane_drop(pane);
	pane->prefix.len = pane->path.len = 0;
	pane->selected = pane->first_level = 0;
}

static int pane_grow(struct browser_pane *pane, struct browser *browser)
{
	struct tally_calltree_options options = {
		.way = pane->way,
		.function = pane->has_function ? pane->function : TALLY_FRAME_NONE,
		.prefix = pane->prefix.data,
		.nr_prefix = (uint32_t)pane->prefix.len,
		.collapses = pane->collapses,
		.parts = 2 * (uint32_t)TALLY_MAX(pane->area.columns, 1),
	};
	int ret = browser_chains_build(browser);

	if (!ret)
		ret = tally_calltree_grow(&browser->chains, &options, &pane->tree);
	return ret ? ret : tally_flame_lay_out(&pane->tree, pane->area.columns, &pane->flame);
}

static bool area_is_same(const struct tally_area *a, const struct tally_area *b)
{
	return a->row == b->row && a->column == b->column && a->rows == b->rows &&
	       a->columns == b->columns;
}

/* Scroll so that the selected cell is visible. */
static void pane_scroll(struct browser_pane *pane)
{
	uint32_t rows = (uint32_t)TALLY_MAX(rows_of_tree(pane), 1), level;

	if (pane->selected >= pane->flame.cells.len)
		pane->selected = 0;
	level = pane->flame.cells.data[pane->selected].level;
	pane->first_level = TALLY_MIN(pane->first_level, level);
	if (level >= pane->first_level + rows)
		pane->first_level = level - rows + 1;
}

/* Return the child cell with this function, or NO_CELL. */
static uint32_t child_of(const struct browser_pane *pane, uint32_t up, uint32_t function)
{
	for (uint32_t i = up + 1; i < pane->flame.cells.len; i++) {
		const struct tally_flame_cell *cell = &pane->flame.cells.data[i];

		if (cell->up == up && pane->tree.nodes.data[cell->node].frame == function)
			return i;
	}
	return NO_CELL;
}

/* Look up the functions of the zoom path again; truncate the path at the first function that no
 * longer exists. */
static void prefix_refind(struct browser_pane *pane, const struct browser *browser)
{
	for (size_t i = 0; i < pane->prefix.len && i < pane->path.len; i++) {
		pane->prefix.data[i] = browser_frame_refind(browser, pane->prefix.data[i],
							    &pane->path.data[i].frame);
		if (pane->prefix.data[i] == TALLY_FRAME_NONE)
			pane->prefix.len = i;
	}
}

/* Select the cell with the same path as before, or its nearest existing ancestor. */
static void selected_refind(struct browser_pane *pane, const struct browser *browser)
{
	uint32_t at = 0;

	for (size_t i = pane->prefix.len; i < pane->path.len; i++) {
		const struct browser_path_step *step = &pane->path.data[i];
		uint32_t function = browser_frame_refind(browser, step->number, &step->frame);
		uint32_t child = child_of(pane, at, function);

		if (child == NO_CELL)
			break;
		at = child;
	}
	pane->selected = at;
}

static struct browser_path_step step_to(const struct browser *browser, uint32_t number)
{
	return (struct browser_path_step){number,
					  browser->source->profile->frames.all.data[number]};
}

/* Remember the path to the selected cell. Return 0 or -ENOMEM. */
static int path_remember(struct browser_pane *pane, const struct browser *browser)
{
	const struct tally_flame_cell *cells = pane->flame.cells.data;
	size_t level = cells[pane->selected].level, above = pane->prefix.len;

	if (tally_vec_reserve(&pane->path, above + level + 1))
		return -ENOMEM;
	pane->path.len = above + level;
	for (size_t i = 0; i < above; i++)
		pane->path.data[i] = step_to(browser, pane->prefix.data[i]);
	for (uint32_t at = pane->selected; at; at = cells[at].up)
		pane->path.data[above + cells[at].level - 1] =
			step_to(browser, pane->tree.nodes.data[cells[at].node].frame);
	return 0;
}

/* Repeat the search, because frame numbers have changed (names have not). */
static int search_repeat(struct browser_pane *pane, struct browser *browser)
{
	const char *why;
	char *text;
	int ret;

	if (!pane->matches)
		return 0;
	text = strdup(tally_str_text(&pane->search));
	ret = text ? browser_pane_search(pane, browser, text, &why) : -ENOMEM;
	free(text);
	return ret;
}

static int pane_rebuild(struct browser_pane *pane, struct browser *browser,
			const struct tally_area *area)
{
	bool is_other = pane->generation != browser->generation;
	int ret;

	pane_drop(pane);
	pane->area = *area;
	pane->generation = browser->generation;
	if (is_other)
		prefix_refind(pane, browser);
	ret = pane_grow(pane, browser);
	if (ret)
		return ret;
	pane->is_made = true;
	if (is_other)
		selected_refind(pane, browser);
	return is_other ? search_repeat(pane, browser) : 0;
}

int browser_pane_build(struct browser_pane *pane, struct browser *browser,
		       const struct tally_area *area)
{
	int ret = 0;

	if (!pane->is_made || pane->generation != browser->generation ||
	    !area_is_same(&pane->area, area))
		ret = pane_rebuild(pane, browser, area);
	if (ret)
		return ret;
	pane_scroll(pane);
	return path_remember(pane, browser);
}

/* ---- drawing --------------------------------------------------------------------- */

/* Draw the functions of the zoom path at full width. */
static void draw_above(const struct browser_pane *pane, struct browser *browser)
{
	int rows = rows_above(pane);
	size_t first = pane->prefix.len - (size_t)rows;

	for (int i = 0; i < rows; i++) {
		int row = pane->upwards ? pane->area.row + pane->area.rows - 1 - i
					: pane->area.row + i;
		uint32_t frame = first + (size_t)i ? pane->prefix.data[first + (size_t)i - 1]
						   : TALLY_FRAME_NONE;
		struct tally_str name = {0};

		if (frame != TALLY_FRAME_NONE)
			tally_flame_name(browser->source->profile, frame,
					 (size_t)pane->area.columns,
					 tally_canvas_mark(&browser->canvas), &name);
		tally_canvas_fill(&browser->canvas, row, pane->area.column, pane->area.columns,
				  TALLY_INK_UNKNOWN);
		tally_canvas_draw(&browser->canvas, row, pane->area.column + 1,
				  pane->area.columns - 1, name.len ? tally_str_text(&name) : "all",
				  TALLY_INK_UNKNOWN);
		tally_str_free(&name);
	}
}

void browser_pane_draw(const struct browser_pane *pane, struct browser *browser, bool has_cursor)
{
	struct tally_flame_look look = {
		.profile = browser->source->profile,
		.matches = pane->matches,
		.root = "all",
		.first_level = pane->first_level,
		.upwards = pane->upwards,
		.selected = has_cursor ? pane->selected : NO_CELL,
	};
	struct tally_area area = pane->area;

	area.rows = rows_of_tree(pane);
	area.row += pane->upwards ? 0 : rows_above(pane);
	draw_above(pane, browser);
	tally_flame_draw(&pane->flame, &pane->tree, &look, &area, &browser->canvas);
}

/* ---- the cursor ------------------------------------------------------------------ */

const struct tally_graph_node *browser_pane_node(const struct browser_pane *pane)
{
	if (!pane->is_made || pane->selected >= pane->flame.cells.len)
		return NULL;
	return &pane->tree.nodes.data[pane->flame.cells.data[pane->selected].node];
}

uint32_t browser_pane_function(const struct browser_pane *pane)
{
	const struct tally_graph_node *node = browser_pane_node(pane);

	return node ? node->frame : TALLY_FRAME_NONE;
}

/* Return the selected cell's heaviest child, which is its first child. */
static uint32_t cell_above(const struct browser_pane *pane)
{
	for (uint32_t i = pane->selected + 1; i < pane->flame.cells.len; i++) {
		if (pane->flame.cells.data[i].up == pane->selected)
			return i;
	}
	return pane->selected;
}

/* Return the selected cell's neighbour on the same level, or the selected cell if it has no such
 * neighbour. */
static uint32_t cell_beside(const struct browser_pane *pane, int way)
{
	size_t at = pane->selected + (size_t)way;

	if (at >= pane->flame.cells.len ||
	    pane->flame.cells.data[at].level != pane->flame.cells.data[pane->selected].level)
		return pane->selected;
	return (uint32_t)at;
}

void browser_pane_move(struct browser_pane *pane, uint32_t press)
{
	bool outwards = press == (pane->upwards ? TALLY_PRESS_UP : TALLY_PRESS_DOWN);

	if (!pane->is_made)
		return;
	switch (press) {
	case TALLY_PRESS_UP:
	case TALLY_PRESS_DOWN:
		pane->selected =
			outwards ? cell_above(pane) : pane->flame.cells.data[pane->selected].up;
		return;
	case TALLY_PRESS_LEFT: pane->selected = cell_beside(pane, -1); return;
	case TALLY_PRESS_RIGHT: pane->selected = cell_beside(pane, 1); return;
	case TALLY_PRESS_HOME: pane->selected = 0; return;
	case TALLY_PRESS_LAST: pane->selected = (uint32_t)pane->flame.cells.len - 1; return;
	}
}

bool browser_pane_click(struct browser_pane *pane, int row, int column)
{
	int down =
		pane->upwards ? pane->area.row + pane->area.rows - 1 - row : row - pane->area.row;
	uint32_t cell;

	down -= rows_above(pane);
	if (!pane->is_made || row < pane->area.row || row >= pane->area.row + pane->area.rows ||
	    down < 0)
		return false;
	cell = tally_flame_at(&pane->flame, pane->first_level + (uint32_t)down,
			      column - pane->area.column);
	if (cell == NO_CELL)
		return false;
	pane->selected = cell;
	return true;
}

/* ---- zooming --------------------------------------------------------------------- */

int browser_pane_zoom(struct browser_pane *pane)
{
	const struct tally_flame_cell *cells = pane->flame.cells.data;
	size_t had = pane->prefix.len;
	uint32_t level;

	if (!browser_pane_node(pane) || !pane->selected)
		return 0;
	level = cells[pane->selected].level;
	if (tally_vec_reserve(&pane->prefix, had + level))
		return -ENOMEM;
	pane->prefix.len = had + level;
	for (uint32_t at = pane->selected; at; at = cells[at].up)
		pane->prefix.data[had + cells[at].level - 1] =
			pane->tree.nodes.data[cells[at].node].frame;
	pane_drop(pane);
	pane->path.len = 0;
	pane->selected = pane->first_level = 0;
	return 0;
}

bool browser_pane_out(struct browser_pane *pane, bool all)
{
	if (!pane->prefix.len)
		return false;
	pane->prefix.len = all ? 0 : pane->prefix.len - 1;
	pane_drop(pane);
	pane->path.len = 0;
	pane->selected = pane->first_level = 0;
	return true;
}

/* ---- searching ------------------------------------------------------------------- */

static int pattern_make(const char *text, struct tally_pattern *ret_pattern, const char **ret_why)
{
	size_t len = strlen(text);
	bool is_regex = len > 2 && text[0] == '/' && text[len - 1] == '/';
	char *inner = is_regex ? strndup(text + 1, len - 2) : strdup(text);
	int ret = inner ? tally_pattern_init(is_regex ? TALLY_PATTERN_REGEX : TALLY_PATTERN_PART,
					     inner, ret_pattern, ret_why)
			: -ENOMEM;

	free(inner);
	return ret;
}

/* Find the frames that have a name matching the pattern, and mark them. */
static int matches_find(struct browser_pane *pane, const struct tally_profile *profile,
			const struct tally_pattern *pattern)
{
	size_t nr = profile->frames.all.len;

	pane->matches = calloc(nr + 1, 1);
	if (!pane->matches)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct tally_frame *frame = &profile->frames.all.data[i];

		pane->matches[i] =
			frame->symbol &&
			(tally_pattern_matches(pattern,
					       tally_symbol_name(frame->dso, frame->symbol)) ||
			 tally_pattern_matches(pattern,
					       tally_profile_short_name(profile, (uint32_t)i)));
	}
	return tally_pattern_error(pattern);
}

/* Return the total period of chains with at least one matching function. */
static uint64_t matched_sum(const struct browser_pane *pane, const struct tally_chains *chains)
{
	uint64_t sum = 0;

	tally_vec_for_each (chain, &chains->all) {
		uint32_t length = tally_chain_length(chains, chain), at = 0;

		while (at < length && !pane->matches[tally_chain_function(chains, chain, at)])
			at++;
		sum += at < length ? chain->period : 0;
	}
	return sum;
}

int browser_pane_search(struct browser_pane *pane, struct browser *browser, const char *text,
			const char **ret_why)
{
	struct tally_pattern pattern;
	int ret;

	tally_str_clear(&pane->search);
	free(pane->matches);
	pane->matches = NULL;
	pane->matched = 0;
	if (!*text)
		return 0;
	ret = pattern_make(text, &pattern, ret_why);
	if (ret)
		return ret;
	ret = matches_find(pane, browser->source->profile, &pattern);
	tally_pattern_free(&pattern);
	if (ret)
		return ret;
	tally_str_add(&pane->search, text);
	pane->matched = matched_sum(pane, &browser->chains);
	return 0;
}

bool browser_pane_next(struct browser_pane *pane)
{
	size_t nr = pane->flame.cells.len;

	for (size_t i = 1; pane->is_made && pane->matches && i <= nr; i++) {
		uint32_t at = (uint32_t)((pane->selected + i) % nr);
		uint32_t frame = pane->tree.nodes.data[pane->flame.cells.data[at].node].frame;

		if (frame != TALLY_FRAME_NONE && pane->matches[frame]) {
			pane->selected = at;
			return true;
		}
	}
	return false;
}
