/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/diff/browse_draw.h"

#include <math.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/escape.h"
#include "view/shorten.h"
#include "view/tracks.h"
#include "view/width.h"

enum { VALUE = 9, BAR = 13, GAP = 1, NAMES_GAP = 2, NAMES_MIN = 20, WHOLE_BAR = 1000000000 };

/* ---- names and values ----------------------------------------------------------------------- */

/* Append those of the `nr` names that are not NULL, separated by two spaces. */
static void add_names(const char *const names[], size_t nr, struct tally_str *out)
{
	size_t start = out->len;

	for (size_t i = 0; i < nr; i++) {
		if (names[i])
			tally_str_addf(out, "%s%s", out->len > start ? "  " : "", names[i]);
	}
	tally_str_escape(out, start);
}

void diff_browse_name(const struct diff_browse *browse, const struct tally_diff_row *row,
		      struct tally_str *head, struct tally_str *tail)
{
	const struct tally_diff *diff = browse->view.diff;
	const char *const names[] = {tally_diff_short_name(diff, row->variant),
				     tally_diff_name(diff, row->file),
				     tally_diff_name(diff, row->comm)};
	size_t start = head->len, nr = TALLY_ARRAY_SIZE(names), first = 0;

	if (diff->options.by_path) {
		tally_diff_view_path(&browse->view, row, head);
		tally_str_escape(head, start);
	} else {
		while (first + 1 < nr && !names[first])
			first++;
		add_names(&names[first], 1, head);
		first++;
	}
	add_names(&names[first], nr - first, tail);
}

void diff_browse_value(const struct diff_browse *browse, double value, bool has_sign,
		       struct tally_str *out)
{
	if (isinf(value) || isnan(value))
		tally_str_add(out, "?");
	else if (browse->view.unit)
		tally_str_addf(out, has_sign ? "%+.4g" : "%.4g", value);
	else
		tally_str_addf(out, has_sign ? "%+.2f%%" : "%.2f%%", 100 * value);
}

/* ---- columns ------------------------------------------------------------------------------ */

enum part { BASELINE, DELTA, NOISE, BARS, VERDICTS, NR_PARTS };

static const struct {
	const char *heading;
	int columns; /* including the gap that follows */
	bool is_number;
} parts[NR_PARTS] = {
	[BASELINE] = {"Baseline", 9, true},  [DELTA] = {"Delta", 9, true},
	[NOISE] = {"Noise", 10, true},       [BARS] = {"", BAR + GAP, false},
	[VERDICTS] = {"Verdict", 15, false},
};

/* Parts to drop, in this order, until at least `least` columns remain for names. */
static const struct {
	enum part part;
	int least;
} goes[] = {{BARS, 30}, {NOISE, 24}, {BASELINE, 24}, {VERDICTS, 16}};

/* Column layout. `at` holds the first column of each part, or -1 if the part is dropped. */
struct diff_layout {
	int at[NR_PARTS], name, tail, end; /* columns of name heads and tails; end of the line */
	double largest;                    /* the difference that a full bar represents */
};

static int parts_place(const bool gone[NR_PARTS], int at[NR_PARTS])
{
	int next = 0;

	for (int i = 0; i < NR_PARTS; i++) {
		at[i] = gone[i] ? -1 : next;
		next += gone[i] ? 0 : parts[i].columns;
	}
	return next;
}

/* Return the width of the widest visible tail, limited to a third of the columns in `room`. */
static int tail_columns(const struct diff_browse *browse, size_t last, int room)
{
	struct tally_str head = {0}, tail = {0};
	size_t widest = 0;

	for (size_t i = browse->first; i < last && room >= NAMES_MIN; i++) {
		tally_str_clear(&head);
		tally_str_clear(&tail);
		diff_browse_name(browse, browse->rows.data[i], &head, &tail);
		widest = TALLY_MAX(widest, tally_width_of(tally_str_text(&tail)));
	}
	tally_str_free(&head);
	tally_str_free(&tail);
	return (int)TALLY_MIN(widest, (size_t)TALLY_MAX(room / 3, 0));
}

/* Compute the layout for the rows from the first visible one up to `last`. */
static struct diff_layout layout_find(const struct browser *browser,
				      const struct diff_browse *browse, size_t last)
{
	struct diff_layout layout = {.end = browser->canvas.columns};
	bool gone[NR_PARTS] = {false};
	int tail;

	layout.name = parts_place(gone, layout.at);
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(goes); i++) {
		gone[goes[i].part] = layout.end - layout.name < goes[i].least;
		layout.name = parts_place(gone, layout.at);
	}
	tail = tail_columns(browse, last, layout.end - layout.name);
	layout.tail = layout.end - tail;
	/* Use the largest difference among all rows, not only the visible ones. */
	tally_vec_for_each (row, &browse->rows)
		layout.largest =
			fmax(layout.largest, fabs(tally_diff_view_delta(&browse->view, *row)));
	return layout;
}

/* ---- rows on the screen --------------------------------------------------------------------- */

static void put_value(struct browser *browser, const struct diff_browse *browse, double value,
		      bool has_sign, int row, int column, enum tally_ink ink)
{
	struct tally_str text = {0};

	if (column < 0)
		return;
	diff_browse_value(browse, value, has_sign, &text);
	tally_canvas_draw(&browser->canvas, row, column + TALLY_MAX(VALUE - 1 - (int)text.len, 0),
			  VALUE, tally_str_text(&text), ink);
	tally_str_free(&text);
}

static enum tally_ink ink_of(const struct tally_diff_value *value)
{
	if (value->verdict == TALLY_DIFF_GREW)
		return TALLY_INK_HOT;
	return value->verdict == TALLY_DIFF_SHRANK ? TALLY_INK_WARM : TALLY_INK_PLAIN;
}

/* Return the bar length for `value` in units of 1/WHOLE_BAR of `whole`. The values may be of any
 * magnitude, for example costs per request. */
static uint64_t part_of(double value, double whole)
{
	double part = whole > 0 ? value / whole : 0;

	return part > 0 && part <= 1 ? (uint64_t)(part * WHOLE_BAR) : 0;
}

static void put_name(struct browser *browser, struct tally_str *name, enum tally_shorten how,
		     int row, int from, int to)
{
	tally_shorten(name, 0, how, (size_t)TALLY_MAX(to - from, 0),
		      tally_canvas_mark(&browser->canvas));
	tally_canvas_draw(&browser->canvas, row, from, to - from, tally_str_text(name),
			  TALLY_INK_PLAIN);
	tally_str_free(name);
}

static void draw_row(struct browser *browser, const struct diff_browse *browse,
		     const struct tally_diff_row *row, const struct diff_layout *layout, int y)
{
	const struct tally_diff_value *value = &row->values[browse->view.measure];
	double delta = tally_diff_view_delta(&browse->view, row);
	struct tally_str head = {0}, tail = {0}, verdict = {0};
	bool has_tail = layout->tail < layout->end;
	const int *at = layout->at;

	put_value(browser, browse, value->mean[TALLY_SIDE_A], false, y, at[BASELINE],
		  TALLY_INK_PLAIN);
	put_value(browser, browse, delta, true, y, at[DELTA], ink_of(value));
	put_value(browser, browse, value->noise, false, y, at[NOISE], TALLY_INK_DIM);
	if (at[BARS] >= 0)
		tally_change_draw(part_of(fabs(delta), layout->largest), WHOLE_BAR, delta > 0, y,
				  at[BARS], BAR, &browser->canvas);
	tally_diff_view_verdict(&browse->view, row, &verdict);
	tally_canvas_draw(&browser->canvas, y, at[VERDICTS], parts[VERDICTS].columns - GAP,
			  tally_str_text(&verdict), ink_of(value));
	tally_str_free(&verdict);
	diff_browse_name(browse, row, &head, &tail);
	put_name(browser, &head, TALLY_SHORTEN_NAME, y, layout->name,
		 layout->tail - (has_tail ? NAMES_GAP : 0));
	put_name(browser, &tail, TALLY_SHORTEN_TEXT, y, layout->tail, layout->end);
}

static const char *rows_heading(const struct diff_browse *browse)
{
	if (browse->view.diff->options.by_path)
		return "Callchain";
	return browse->view.measure == TALLY_DIFF_TOTAL ? "Total" : "Self";
}

static void draw_heading(struct browser *browser, const struct diff_browse *browse,
			 const struct diff_layout *layout)
{
	struct tally_canvas *canvas = &browser->canvas;
	int row = browser->room.top;

	tally_canvas_fill(canvas, row, 0, canvas->columns, TALLY_INK_HEADING);
	for (int i = 0; i < NR_PARTS; i++) {
		const char *text = parts[i].heading;
		int blanks = parts[i].is_number ? VALUE - 1 - (int)strlen(text) : 0;

		if (layout->at[i] >= 0)
			tally_canvas_draw(canvas, row, layout->at[i] + blanks, parts[i].columns,
					  text, TALLY_INK_HEADING);
	}
	tally_canvas_draw(canvas, row, layout->name, layout->end - layout->name,
			  rows_heading(browse), TALLY_INK_HEADING);
}

void diff_browse_draw(struct browser *browser, const struct diff_browse *browse, size_t last)
{
	struct diff_layout layout = layout_find(browser, browse, last);

	draw_heading(browser, browse, &layout);
	for (size_t i = browse->first; i < last; i++) {
		int row = browser->room.top + 1 + (int)(i - browse->first);

		draw_row(browser, browse, browse->rows.data[i], &layout, row);
		if (i == browse->cursor)
			tally_canvas_select(&browser->canvas, row);
	}
}
