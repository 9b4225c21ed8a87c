/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws headings and rows. */
#include "view/screen.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "view/fit.h"
#include "view/width.h"

enum { MARK = 2, GAP = 2, INDENT = 3, SHARE = 7, BELOW_ROW = 6 };

/* Minimum widths of function names in rows and in call graphs. */
enum { FUNCTION = 16, FUNCTION_BELOW = 10 };

int tally_screen_page(const struct tally_screen *screen, int rows)
{
	struct tally_panel_rows room = tally_panel_rows(rows);

	return TALLY_MAX(room.bottom - room.top - !screen->hide_headings, 1);
}

void tally_screen_reset_widths(struct tally_screen *screen)
{
	memset(screen->needed, 0, sizeof(screen->needed));
}

static void scroll(struct tally_screen *screen, size_t page)
{
	size_t nr = screen->lines.len, last = nr > page ? nr - page : 0;

	screen->first = TALLY_MIN(screen->first, screen->cursor);
	if (screen->cursor >= screen->first + page)
		screen->first = screen->cursor - page + 1;
	screen->first = TALLY_MIN(screen->first, last);
}

/* ---- columns ----------------------------------------------------------------- */

static bool is_measure(const struct tally_view_column *column)
{
	return column->width > 0;
}

/* Return the width that the widest visible row needs. */
static int needed_width(const struct tally_screen *screen, const struct tally_view *view,
			const struct tally_view_column *column, size_t last)
{
	int widest = TALLY_MAX(column->width, (int)strlen(column->heading)), width;
	struct tally_str text = {0};

	for (size_t at = screen->first; at < last && !is_measure(column); at++) {
		const struct tally_screen_line *line = &screen->lines.data[at];

		if (line->node)
			continue;
		width = tally_view_cell_width(view, column, &view->hist->rows.data[line->row],
					      &text);
		widest = TALLY_MAX(widest, width);
	}
	tally_str_free(&text);
	return widest;
}

static void columns_measure(struct tally_screen *screen, const struct tally_view *view, size_t last,
			    int columns)
{
	for (int i = 0; i < view->nr_columns; i++) {
		int width = needed_width(screen, view, view->columns[i], last);

		screen->needed[i] = TALLY_MAX(screen->needed[i], width);
		if (view->asked && view->asked[i])
			screen->needed[i] = TALLY_MAX(view->columns[i]->width, view->asked[i]);
	}
	memcpy(screen->widths, screen->needed, sizeof(screen->widths));
	tally_view_fit_columns(view, columns, FUNCTION, screen->widths);
}

/* Return the width of a column; the last column gets the remaining width of the line. */
static int column_width(const struct tally_screen *screen, const struct tally_view *view, int i,
			int at, int columns)
{
	for (int other = i + 1; other < view->nr_columns; other++) {
		if (screen->widths[other])
			return screen->widths[i];
	}
	return columns - at;
}

/* Draw a cell: metrics right-aligned, names left-aligned. Returns the position after the cell. */
static int put_column(const struct tally_view_column *column, struct tally_canvas *canvas, int row,
		      int at, int width, const char *text, enum tally_ink ink)
{
	int used = (int)tally_width_of(text);

	tally_canvas_draw(canvas, row, at + (is_measure(column) ? TALLY_MAX(width - used, 0) : 0),
			  width, text, ink);
	return at + width + GAP;
}

static void draw_headings(const struct tally_screen *screen, const struct tally_view *view,
			  struct tally_canvas *canvas, int row)
{
	int at = MARK;

	tally_canvas_fill(canvas, row, 0, canvas->columns, TALLY_INK_HEADING);
	for (int i = 0; i < view->nr_columns; i++) {
		const char *heading = view->columns[i]->heading;

		if (!screen->widths[i])
			continue;
		heading += strspn(heading, " ");
		at = put_column(view->columns[i], canvas, row, at,
				column_width(screen, view, i, at, canvas->columns), heading,
				TALLY_INK_HEADING);
	}
}

/* ---- rows -------------------------------------------------------------------- */

/* Limits as in perf: 5 % and 0.5 %. */
static enum tally_ink share_ink(uint64_t part, uint64_t whole)
{
	if (part && part >= whole / 20)
		return TALLY_INK_HOT;
	return part && part >= whole / 200 ? TALLY_INK_WARM : TALLY_INK_PLAIN;
}

static void draw_mark(const struct tally_screen_line *line, struct tally_canvas *canvas, int row,
		      int at)
{
	if (line->has_more)
		tally_canvas_draw(canvas, row, at, 1, line->is_open ? "-" : "+", TALLY_INK_DIM);
}
/* Return the ink of a share: that of the self cost in its own column. */
static enum tally_ink measure_ink(const struct tally_view *view,
				  const struct tally_view_column *column,
				  const struct tally_row *row)
{
	bool is_self = column->sum == TALLY_SUM_SELF;

	return share_ink(is_self ? row->self : row->total, view->total);
}

static void draw_row(const struct tally_screen *screen, const struct tally_view *view,
		     const struct tally_screen_line *line, struct tally_canvas *canvas, int y)
{
	const struct tally_row *row = &view->hist->rows.data[line->row];
	struct tally_str text = {0};
	int at = MARK;

	draw_mark(line, canvas, y, 0);
	for (int i = 0; i < view->nr_columns; i++) {
		const struct tally_view_column *column = view->columns[i];
		int width = column_width(screen, view, i, at, canvas->columns);

		if (!screen->widths[i])
			continue;
		tally_str_clear(&text);
		tally_view_short_cell(view, column, row, (size_t)TALLY_MAX(width, 0),
				      tally_canvas_mark(canvas), &text);
		at = put_column(column, canvas, y, at, width, tally_str_text(&text),
				is_measure(column) ? measure_ink(view, column, row)
						   : TALLY_INK_PLAIN);
	}
	tally_str_free(&text);
}

static void draw_node(const struct tally_view *view, const struct tally_screen_line *line,
		      struct tally_canvas *canvas, int y)
{
	const struct tally_graph_node *node = &view->hist->graph.data[line->node];
	/* Leave space for a name even if the node is deep. */
	int most = canvas->columns - MARK - SHARE - 1 - FUNCTION_BELOW;
	int at = TALLY_MIN(BELOW_ROW + INDENT * line->depth, TALLY_MAX(most, 0));
	struct tally_str text = {0};

	draw_mark(line, canvas, y, at);
	at += MARK;
	if (!line->is_run_on) {
		tally_view_percent(node->period, view->total, &text);
		tally_canvas_draw(canvas, y, at + SHARE - (int)text.len, SHARE,
				  tally_str_text(&text), share_ink(node->period, view->total));
		tally_str_clear(&text);
	}
	at += SHARE + 1;
	tally_view_frame_text(view, node->frame, (size_t)TALLY_MAX(canvas->columns - at, 0),
			      tally_canvas_mark(canvas), &text);
	tally_canvas_draw(canvas, y, at, canvas->columns - at, tally_str_text(&text),
			  TALLY_INK_PLAIN);
	tally_str_free(&text);
}

static void draw_lines(struct tally_screen *screen, const struct tally_view *view,
		       struct tally_canvas *canvas, int top, size_t last)
{
	for (size_t i = screen->first; i < last; i++) {
		const struct tally_screen_line *line = &screen->lines.data[i];
		int y = top + (int)(i - screen->first);

		if (line->node)
			draw_node(view, line, canvas, y);
		else
			draw_row(screen, view, line, canvas, y);
		if (i == screen->cursor)
			tally_canvas_select(canvas, y);
	}
}

void tally_screen_draw(struct tally_screen *screen, const struct tally_view *view,
		       const struct tally_panel *panel, struct tally_canvas *canvas)
{
	size_t page = (size_t)tally_screen_page(screen, canvas->rows), last;
	struct tally_panel around = *panel;
	char where[48];
	int top = tally_panel_rows(canvas->rows).top;

	scroll(screen, page);
	screen->page = page;
	last = TALLY_MIN(screen->first + page, screen->lines.len);
	columns_measure(screen, view, last, canvas->columns);
	if (!screen->hide_headings)
		draw_headings(screen, view, canvas, top++);
	draw_lines(screen, view, canvas, top, last);
	snprintf(where, sizeof(where), "%zu/%zu", screen->lines.len ? screen->cursor + 1 : 0,
		 screen->lines.len);
	around.where = where;
	tally_panel_draw(&around, canvas);
}
