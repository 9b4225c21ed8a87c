/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows in columns, or separated by a string. */
#include <string.h>

#include "base/arith.h"
#include "view/view.h"

static bool has_part(const struct tally_view *view, const struct tally_row *row)
{
	const struct tally_frame *frame;

	if (!view->symbol_part)
		return true;
	frame = &view->profile->frames.all.data[row->frame];
	return frame->symbol &&
	       strstr(tally_symbol_name(frame->dso, frame->symbol), view->symbol_part);
}

bool tally_view_shows(const struct tally_view *view, const struct tally_row *row)
{
	return has_part(view, row) && row->total >= view->percent_limit &&
	       (row->total || row->total_nr);
}

void tally_view_measure(struct tally_view *view)
{
	struct tally_str text = {0};

	for (int i = 0; i < view->nr_columns; i++) {
		const struct tally_view_column *column = view->columns[i];

		view->widths[i] = TALLY_MAX(column->width, (int)strlen(column->heading));
		if (column->width)
			continue;
		tally_vec_for_each (row, &view->hist->rows) {
			if (!tally_view_shows(view, row))
				continue;
			tally_str_clear(&text);
			tally_view_cell(view, column, row, &text);
			view->widths[i] = TALLY_MAX(view->widths[i], (int)text.len);
		}
	}
	tally_str_free(&text);
}

/* Widen what stands behind `start` to the column's width, measures to the right. */
static void align_cell(const struct tally_view *view, int i, size_t start, struct tally_str *out)
{
	size_t width = (size_t)view->widths[i], len = out->len - start;

	if (len >= width)
		return;
	tally_str_pad_to(out, start + width);
	if (!view->columns[i]->width || out->failed)
		return;
	memmove(out->data + start + width - len, out->data + start, len);
	memset(out->data + start, ' ', width - len);
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
		tally_str_add(out, i ? "  " : " ");
		start = out->len;
		tally_str_add(out, view->columns[i]->heading);
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

/* In separated values a separator inside a text becomes a dot, as in perf. */
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
	tally_str_add_char(out, '\n');
}

void tally_view_row(const struct tally_view *view, const struct tally_row *row,
		    struct tally_str *out)
{
	if (view->separator) {
		row_separated(view, row, out);
		return;
	}
	for (int i = 0; i < view->nr_columns; i++) {
		size_t start = out->len + 2;

		tally_str_add_bytes(out, "  ", 2);
		tally_view_cell(view, view->columns[i], row, out);
		if (i + 1 < view->nr_columns)
			align_cell(view, i, start, out);
	}
	tally_str_add_char(out, '\n');
	tally_view_graph(view, row, out);
}
