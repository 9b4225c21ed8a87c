/* SPDX-License-Identifier: BSD-2-Clause */
/* Compute column widths. */
#include "view/fit.h"

#include <limits.h>
#include <string.h>

#include "base/arith.h"
#include "view/width.h"

enum { GAP = 2, USUAL = 80 };

static bool is_name(const struct tally_view *view, int i)
{
	return !view->columns[i]->width;
}

/* Return a column's weight. Functions are the most important column and have the longest names. */
static int weight_of(const struct tally_view *view, int i)
{
	return view->columns[i]->how == TALLY_SHORTEN_NAME ? 2 : 1;
}

/* Distribute `room` by weight among columns that need more than `room` in total. Space that a
 * column does not need is distributed among the others. */
static void share(const struct tally_view *view, int room, int wanted[], int widths[])
{
	int weights = 0;

	for (int i = 0; i < view->nr_columns; i++)
		weights += wanted[i] ? weight_of(view, i) : 0;
	while (weights) {
		int least = -1, given;

		for (int i = 0; i < view->nr_columns; i++) {
			if (wanted[i] && (least < 0 || wanted[i] * weight_of(view, least) <
							       wanted[least] * weight_of(view, i)))
				least = i;
		}
		given = TALLY_MIN(wanted[least], room * weight_of(view, least) / weights);
		widths[least] += given;
		room -= given;
		weights -= weight_of(view, least);
		wanted[least] = 0;
	}
}

void tally_view_fit(const struct tally_view *view, int columns, int widths[])
{
	static const int levels[] = {8, 20, INT_MAX};
	int needed[TALLY_VIEW_MAX_COLUMNS] = {0}, room = columns;

	for (int i = 0; i < view->nr_columns; i++) {
		needed[i] = widths[i];
		widths[i] = is_name(view, i) ? 0 : widths[i];
		room -= needed[i] ? GAP + widths[i] : 0;
	}
	for (size_t level = 0; level < TALLY_ARRAY_SIZE(levels); level++) {
		int wanted[TALLY_VIEW_MAX_COLUMNS], sum = 0;

		for (int i = 0; i < view->nr_columns; i++) {
			wanted[i] = TALLY_MIN(needed[i], levels[level]) - widths[i];
			wanted[i] = is_name(view, i) ? wanted[i] : 0;
			sum += wanted[i];
		}
		/* On the first level, columns get the widths they want even if the line becomes too
		 * long. */
		room = level ? room : TALLY_MAX(room, sum);
		share(view, TALLY_MIN(room, sum), wanted, widths);
		room -= TALLY_MIN(room, sum);
	}
}

/* Return the most important column: the function column, otherwise the last name column, or -1 if
 * there is no name column. */
static int column_main(const struct tally_view *view)
{
	int kept = -1;

	for (int i = 0; i < view->nr_columns; i++) {
		if (view->columns[i]->how == TALLY_SHORTEN_NAME)
			return i;
		kept = is_name(view, i) ? i : kept;
	}
	return kept;
}

/* Return how much of column number `kept` is visible in a truncated line. */
static int visible_width(const struct tally_view *view, int columns, const int widths[], int kept)
{
	int at = GAP;

	for (int i = 0; i < kept; i++)
		at += widths[i] ? widths[i] + GAP : 0;
	return TALLY_MIN(widths[kept], columns - at);
}

static bool is_asked(const struct tally_view *view, int i)
{
	return view->asked && view->asked[i];
}

/* Return the next column to drop, or -1 if no column can be dropped. */
static int column_dropped(const struct tally_view *view, const int needed[], int kept)
{
	int first = 0;

	for (int i = 0; i < view->nr_columns; i++) {
		if (is_name(view, i) && i != kept && needed[i] && !is_asked(view, i))
			return i;
	}
	while (first < view->nr_columns && is_name(view, first))
		first++;
	for (int i = view->nr_columns - 1; i > first; i--) {
		if (!is_name(view, i) && needed[i] && !is_asked(view, i))
			return i;
	}
	return -1;
}

void tally_view_fit_columns(const struct tally_view *view, int columns, int least, int widths[])
{
	int needed[TALLY_VIEW_MAX_COLUMNS], kept = column_main(view), dropped = 0;
	size_t size = (size_t)view->nr_columns * sizeof(*widths);

	memcpy(needed, widths, size);
	tally_view_fit(view, columns, widths);
	while (kept >= 0 &&
	       visible_width(view, columns, widths, kept) < TALLY_MIN(least, needed[kept])) {
		dropped = column_dropped(view, needed, kept);
		if (dropped < 0)
			return;
		needed[dropped] = 0;
		memcpy(widths, needed, size);
		tally_view_fit(view, columns, widths);
	}
}

int tally_view_cell_width(const struct tally_view *view, const struct tally_view_column *column,
			  const struct tally_row *row, struct tally_str *text)
{
	enum { MOST = 1000000 };
	size_t width;

	tally_str_clear(text);
	tally_view_cell(view, column, row, text);
	width = tally_width(tally_str_text(text), text->len);
	return width < MOST ? (int)width : MOST;
}

/* Return the width of the widest cell, ignoring cells wider than `most`. */
static int measure_rows(const struct tally_view *view, const struct tally_view_column *column,
			int most)
{
	struct tally_str text = {0};
	int widest = 0;

	tally_vec_for_each (row, &view->hist->rows) {
		int width;

		if (!tally_view_shows(view, row))
			continue;
		width = tally_view_cell_width(view, column, row, &text);
		if (width <= most)
			widest = TALLY_MAX(widest, width);
	}
	tally_str_free(&text);
	return widest;
}

void tally_view_measure(struct tally_view *view)
{
	bool fits = view->line_width > 0;

	for (int i = 0; i < view->nr_columns; i++) {
		const struct tally_view_column *column = view->columns[i];
		int asked = view->asked ? view->asked[i] : 0, width = 0;

		if (!asked && (is_name(view, i) || fits))
			width = measure_rows(view, column, fits ? INT_MAX : USUAL);
		if (!asked)
			asked = TALLY_MAX(width, (int)strlen(column->heading));
		view->widths[i] = TALLY_MAX(tally_view_metric_width(view, column), asked);
	}
	if (fits)
		tally_view_fit(view, view->line_width, view->widths);
}
