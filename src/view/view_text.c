/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows in aligned columns, or as separated values. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "view/percent_colour.h"
#include "view/view.h"
#include "view/width.h"

static bool has_part(const struct tally_view *view, const struct tally_row *row)
{
	const struct tally_frame *frame;

	if (!view->symbol_part)
		return true;
	frame = &view->profile->frames.all.data[row->frame];
	return frame->symbol &&
	       strstr(tally_symbol_name(frame->dso, frame->symbol), view->symbol_part);
}

/* Return true if the row has samples of another event of the group. */
static bool is_of_member(const struct tally_view *view, const struct tally_row *row)
{
	for (uint32_t i = 0; i < view->nr_members; i++) {
		if (tally_hist_member_row(view->hist, row, i).total_nr)
			return true;
	}
	return false;
}

bool tally_view_shows(const struct tally_view *view, const struct tally_row *row)
{
	return has_part(view, row) && (row->total || row->total_nr || is_of_member(view, row));
}

/* Pad the text that begins at `start` to the column's width; metrics are right-aligned. */
static void align_cell(const struct tally_view *view, int i, size_t start, struct tally_str *out)
{
	size_t width = (size_t)view->widths[i], len, used;

	if (out->failed) /* `out` is empty */
		return;
	len = out->len - start;
	used = tally_width(tally_str_text(out) + start, len);
	if (used >= width)
		return;
	tally_str_pad_to(out, out->len + width - used);
	if (!view->columns[i]->width || out->failed)
		return;
	memmove(out->data + start + width - used, out->data + start, len);
	memset(out->data + start, ' ', width - used);
}

/* Return true if names in a column must not be wider than the column. */
static bool is_limited(const struct tally_view *view, int i)
{
	return view->line_width || (view->asked && view->asked[i]);
}

static void heading_separated(const struct tally_view *view, struct tally_str *out)
{
	tally_str_add(out, "# ");
	for (int i = 0; i < view->nr_columns; i++) {
		const char *heading = view->columns[i]->heading;

		tally_str_add(out, i ? view->separator : "");
		tally_str_add(out, heading + strspn(heading, " "));
	}
	tally_str_add_char(out, '\n');
}

void tally_view_heading(const struct tally_view *view, struct tally_str *out)
{
	size_t start;

	if (view->separator) {
		heading_separated(view, out);
		return;
	}
	tally_str_add(out, "#");
	for (int i = 0; i < view->nr_columns; i++) {
		const char *heading = view->columns[i]->heading;

		tally_str_add(out, i ? "  " : " ");
		start = out->len;
		tally_str_add_bytes(out, heading,
				    TALLY_MIN(strlen(heading), (size_t)view->widths[i]));
		align_cell(view, i, start, out);
	}
	tally_str_add(out, "\n#");
	for (int i = 0; i < view->nr_columns; i++) {
		tally_str_add(out, i ? "  " : " ");
		for (int n = 0; n < view->widths[i]; n++)
			tally_str_add_char(out, '.');
	}
	tally_str_add(out, "\n#\n");
}

/* Append a row with separators. As in perf, separators inside a cell are replaced by dots. */
static void row_separated(const struct tally_view *view, const struct tally_row *row,
			  struct tally_str *out)
{
	for (int i = 0; i < view->nr_columns; i++) {
		size_t start;

		tally_str_add(out, i ? view->separator : "");
		start = out->len;
		tally_view_cell(view, view->columns[i], row, out);
		tally_str_replace(out, start, view->separator[0], '.');
	}
}

/* Colour a cell that is a percentage. */
static void colour_cell(struct tally_str *out, size_t start)
{
	char cell[32];
	size_t len = out->len - start;
	const char *colour;

	if (out->failed || len >= sizeof(cell) || out->data[out->len - 1] != '%')
		return;
	memcpy(cell, out->data + start, len);
	cell[len] = '\0';
	colour = tally_percent_colour(strtod(cell, NULL));
	if (!colour)
		return;
	out->len = start;
	tally_str_add(out, colour);
	tally_str_add_bytes(out, cell, len);
	tally_str_add(out, TALLY_NO_COLOUR);
}

static void row_aligned(const struct tally_view *view, const struct tally_row *row,
			struct tally_str *out)
{
	for (int i = 0; i < view->nr_columns; i++) {
		size_t start = out->len + 2;

		tally_str_add_bytes(out, "  ", 2);
		tally_view_short_cell(view, view->columns[i], row,
				      is_limited(view, i) ? (size_t)view->widths[i] : SIZE_MAX,
				      TALLY_VIEW_MARK, out);
		if (i + 1 < view->nr_columns || view->columns[i]->width)
			align_cell(view, i, start, out);
		if (view->has_colours && !view->columns[i]->key && !view->nr_members)
			colour_cell(out, start);
	}
}

void tally_view_row(const struct tally_view *view, const struct tally_row *row,
		    struct tally_str *out)
{
	if (view->separator)
		row_separated(view, row, out);
	else
		row_aligned(view, row, out);
	tally_str_add_char(out, '\n');
	tally_view_graph(view, row, out);
}
