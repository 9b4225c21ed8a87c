/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "profile/process/machine.h"
#include "view/view_diff.h"
#include "view/shorten.h"
#include "view/view.h"
#include "view/width.h"
#include "view/wrap.h"

enum { WIDEST = 80, LEAST_NAME = 8 };

struct diff_column {
	const char *heading;
	int width; /* width of a right-aligned metric; 0 to fit the widest name */
	enum tally_shorten how;
	bool (*is_shown)(const struct tally_diff_view *view);
	void (*text)(const struct tally_diff_view *view, const struct tally_diff_row *row,
		     struct tally_str *out);
};

static const struct tally_diff_value *row_value(const struct tally_diff_view *view,
						const struct tally_diff_row *row)
{
	return &row->values[view->measure];
}

/* ---- metrics ------------------------------------------------------------------- */

/* Append a share as a percentage, or an absolute value with its unit. */
static void add_value(const struct tally_diff_view *view, double value, bool sign,
		      struct tally_str *out)
{
	if (!view->unit)
		tally_str_addf(out, sign ? "%+.2f%%" : "%.2f%%", value * 100);
	else
		tally_str_addf(out, sign ? "%+.4g%s" : "%.4g%s", value, view->unit);
}

static void text_baseline(const struct tally_diff_view *view, const struct tally_diff_row *row,
			  struct tally_str *out)
{
	const struct tally_diff_value *value = row_value(view, row);

	if (value->nr[TALLY_SIDE_A] <= 0)
		return;
	/* As in perf, if only rows that exist on both sides are shown, shares are relative to these
	 * rows. */
	if (view->matched && !view->unit && view->baseline_period > 0)
		add_value(view, value->period[TALLY_SIDE_A] / view->baseline_period, false, out);
	else
		add_value(view, value->mean[TALLY_SIDE_A], false, out);
}

static void text_delta(const struct tally_diff_view *view, const struct tally_diff_row *row,
		       struct tally_str *out)
{
	if (row_value(view, row)->nr[TALLY_SIDE_B] > 0)
		add_value(view, tally_diff_view_delta(view, row), true, out);
}

static void text_ratio(const struct tally_diff_view *view, const struct tally_diff_row *row,
		       struct tally_str *out)
{
	const double *period = row_value(view, row)->period;

	if (row_value(view, row)->nr[TALLY_SIDE_B] <= 0)
		return;
	if (period[TALLY_SIDE_A] > 0)
		tally_str_addf(out, "%.6f", period[TALLY_SIDE_B] / period[TALLY_SIDE_A]);
	else
		tally_str_add(out, "N/A");
}

static void text_wdiff(const struct tally_diff_view *view, const struct tally_diff_row *row,
		       struct tally_str *out)
{
	const double *period = row_value(view, row)->period;

	if (row_value(view, row)->nr[TALLY_SIDE_B] <= 0)
		return;
	if (row_value(view, row)->nr[TALLY_SIDE_A] <= 0)
		tally_str_add(out, "N/A");
	else
		tally_str_addf(out, "%.0f",
			       period[TALLY_SIDE_B] * view->weights[TALLY_SIDE_B] -
				       period[TALLY_SIDE_A] * view->weights[TALLY_SIDE_A]);
}

static void text_base_period(const struct tally_diff_view *view, const struct tally_diff_row *row,
			     struct tally_str *out)
{
	tally_str_addf(out, "%.0f", row_value(view, row)->period[TALLY_SIDE_A]);
}

static void text_period(const struct tally_diff_view *view, const struct tally_diff_row *row,
			struct tally_str *out)
{
	if (row_value(view, row)->nr[TALLY_SIDE_B] > 0)
		tally_str_addf(out, "%.0f", row_value(view, row)->period[TALLY_SIDE_B]);
}

static double side_period(const struct tally_diff *diff, uint32_t side)
{
	double period = 0;

	tally_vec_for_each (of, &diff->recordings)
		period += of->side == side ? (double)of->period : 0;
	return period;
}

static void text_formula(const struct tally_diff_view *view, const struct tally_diff_row *row,
			 struct tally_str *out)
{
	double a = row_value(view, row)->period[TALLY_SIDE_A];
	double b = row_value(view, row)->period[TALLY_SIDE_B];

	if (row_value(view, row)->nr[TALLY_SIDE_B] <= 0)
		return;
	if (view->compute == TALLY_COMPUTE_RATIO)
		tally_str_addf(out, "%.0f / %.0f", b, a);
	else if (view->compute == TALLY_COMPUTE_WDIFF)
		tally_str_addf(out, "(%.0f * %.0f) - (%.0f * %.0f)", b, view->weights[TALLY_SIDE_B],
			       a, view->weights[TALLY_SIDE_A]);
	else
		tally_str_addf(out, "(%.0f * 100 / %.0f) - (%.0f * 100 / %.0f)", b,
			       side_period(view->diff, TALLY_SIDE_B), a,
			       side_period(view->diff, TALLY_SIDE_A));
}

static void text_noise(const struct tally_diff_view *view, const struct tally_diff_row *row,
		       struct tally_str *out)
{
	const struct tally_diff_value *value = row_value(view, row);

	if (value->verdict != TALLY_DIFF_FEW)
		add_value(view, value->noise, false, out);
}

static void text_state(const struct tally_diff_view *view, const struct tally_diff_row *row,
		       struct tally_str *out)
{
	static const char *const texts[] = {
		[TALLY_DIFF_NEW] = "new",
		[TALLY_DIFF_GONE] = "gone",
		[TALLY_DIFF_INLINED_NOW] = "inlined now",
		[TALLY_DIFF_WAS_INLINED] = "was inlined",
		[TALLY_DIFF_MOVED_TO] = "moved to ",
		[TALLY_DIFF_MOVED_FROM] = "from ",
	};

	tally_str_add(out, texts[row->state]);
	if (row->other != UINT32_MAX)
		tally_str_add(out,
			      tally_diff_name(view->diff, view->diff->rows.data[row->other].file));
}

void tally_diff_view_verdict(const struct tally_diff_view *view, const struct tally_diff_row *row,
			     struct tally_str *out)
{
	const struct tally_diff_value *value = row_value(view, row);

	switch (value->verdict) {
	case TALLY_DIFF_UNKNOWN: tally_str_add(out, "undecided"); break;
	case TALLY_DIFF_FEW: tally_str_add(out, "too few samples"); break;
	case TALLY_DIFF_SAME:
		tally_str_addf(out, "same within %.*f%%", value->within < 0.0995 ? 1 : 0,
			       value->within * 100);
		break;
	case TALLY_DIFF_GREW:
	case TALLY_DIFF_SHRANK:
		if (row->state != TALLY_DIFF_BOTH)
			text_state(view, row, out);
		else
			tally_str_add(out, value->verdict == TALLY_DIFF_GREW ? "grew" : "shrank");
		break;
	}
}

/* ---- names --------------------------------------------------------------------- */

static void text_comm(const struct tally_diff_view *view, const struct tally_diff_row *row,
		      struct tally_str *out)
{
	tally_str_add(out, tally_diff_name(view->diff, row->comm));
}

static void text_file(const struct tally_diff_view *view, const struct tally_diff_row *row,
		      struct tally_str *out)
{
	tally_str_add(out, tally_diff_name(view->diff, row->file));
}

static void text_symbol(const struct tally_diff_view *view, const struct tally_diff_row *row,
			struct tally_str *out)
{
	tally_str_addf(out, "[%c] ", tally_cpumode_letter(row->cpumode));
	tally_str_add(out, view->has_short_names ? tally_diff_short_name(view->diff, row->variant)
						 : tally_diff_name(view->diff, row->symbol));
}

void tally_diff_view_path(const struct tally_diff_view *view, const struct tally_diff_row *row,
			  struct tally_str *out)
{
	const struct tally_interned *path = &view->diff->paths.strings.data[row->path];

	for (uint32_t i = 0; i < path->len / sizeof(uint32_t); i++) {
		uint32_t name;

		memcpy(&name, path->text + i * sizeof(name), sizeof(name));
		tally_str_add(out, i ? ";" : "");
		tally_str_add(out, tally_diff_name(view->diff, name));
	}
}

/* ---- table ---------------------------------------------------------------------- */

static bool always(const struct tally_diff_view *view)
{
	return true;
}

static bool has_periods(const struct tally_diff_view *view)
{
	return view->has_periods;
}

static bool has_delta_abs(const struct tally_diff_view *view)
{
	return view->compute == TALLY_COMPUTE_DELTA_ABS;
}

static bool has_delta(const struct tally_diff_view *view)
{
	return view->compute == TALLY_COMPUTE_DELTA;
}

static bool has_ratio(const struct tally_diff_view *view)
{
	return view->compute == TALLY_COMPUTE_RATIO;
}

static bool has_wdiff(const struct tally_diff_view *view)
{
	return view->compute == TALLY_COMPUTE_WDIFF;
}

static bool has_formula(const struct tally_diff_view *view)
{
	return view->has_formula;
}

static bool has_verdicts(const struct tally_diff_view *view)
{
	return view->has_verdicts;
}

static bool has_comm(const struct tally_diff_view *view)
{
	return view->diff->options.keys & TALLY_KEY_COMM && !view->no_comm;
}

static bool has_file(const struct tally_diff_view *view)
{
	return view->diff->options.keys & TALLY_KEY_DSO && !view->diff->options.by_path &&
	       !view->no_file;
}

static bool has_symbol(const struct tally_diff_view *view)
{
	return view->diff->options.keys & TALLY_KEY_SYMBOL && !view->diff->options.by_path;
}

static bool has_path(const struct tally_diff_view *view)
{
	return view->diff->options.by_path;
}

static const struct diff_column columns[] = {
	{"Baseline", 8, 0, always, text_baseline},
	{"Base period", 14, 0, has_periods, text_base_period},
	{"Delta Abs", 9, 0, has_delta_abs, text_delta},
	{"Delta", 7, 0, has_delta, text_delta},
	{"Ratio", 14, 0, has_ratio, text_ratio},
	{"Weighted diff", 14, 0, has_wdiff, text_wdiff},
	{"Formula", 70, 0, has_formula, text_formula},
	{"Period", 14, 0, has_periods, text_period},
	{"Noise", 7, 0, has_verdicts, text_noise},
	{"Verdict", 0, TALLY_SHORTEN_END, has_verdicts, tally_diff_view_verdict},
	{"Command", 0, TALLY_SHORTEN_TEXT, has_comm, text_comm},
	{"Shared Object", 0, TALLY_SHORTEN_PATH, has_file, text_file},
	{"Symbol", 0, TALLY_SHORTEN_NAME, has_symbol, text_symbol},
	{"Path", 0, TALLY_SHORTEN_TEXT, has_path, tally_diff_view_path},
};

/* ---- footnotes ------------------------------------------------------------------ */

/* Return the place of a row's footnote number. */
static uint32_t *note_of(const struct tally_diff_view *view, const struct tally_diff_row *row)
{
	return &view->notes[row - view->diff->rows.data];
}

/* Shorten a name with a footnote, and append the footnote's number. */
static void add_note(const struct tally_diff_view *view, const struct tally_diff_row *row,
		     size_t start, struct tally_str *out)
{
	uint32_t number = *note_of(view, row);
	char note[32];

	if (!number)
		return;
	snprintf(note, sizeof(note), " [%" PRIu32 "]", number);
	tally_shorten(out, start, TALLY_SHORTEN_NAME, TALLY_DIFF_NAME_MAX - strlen(note),
		      TALLY_VIEW_MARK);
	tally_str_add(out, note);
}

int tally_diff_view_number_notes(struct tally_diff_view *view)
{
	uint32_t *notes = calloc(view->diff->rows.len + 1, sizeof(*notes)), nr = 0;
	struct tally_str text = {0};

	if (!notes)
		return -ENOMEM;
	for (size_t i = 0; i < view->nr_rows && has_symbol(view); i++) {
		tally_str_clear(&text);
		text_symbol(view, view->rows[i], &text);
		tally_str_escape(&text, 0);
		if (tally_width_of(tally_str_text(&text)) > TALLY_DIFF_NAME_MAX)
			notes[view->rows[i] - view->diff->rows.data] = ++nr;
	}
	tally_str_free(&text);
	view->notes = notes;
	return 0;
}

void tally_diff_view_notes(const struct tally_diff_view *view, size_t nr_rows,
			   struct tally_str *out)
{
	size_t first = out->len;

	for (size_t i = 0; i < nr_rows; i++) {
		const struct tally_diff_row *row = view->rows[i];
		size_t start = out->len;

		if (!*note_of(view, row))
			continue;
		tally_str_addf(out, "# [%" PRIu32 "] ", *note_of(view, row));
		tally_str_add(out, tally_diff_name(view->diff, row->variant));
		tally_str_escape(out, start);
		tally_str_add_char(out, '\n');
	}
	tally_wrap_comments(out, first, TALLY_DIFF_NAME_MAX);
}

static void add_cell(const struct tally_diff_view *view, const struct diff_column *column,
		     const struct tally_diff_row *row, struct tally_str *out)
{
	size_t start = out->len;

	column->text(view, row, out);
	tally_str_escape(out, start);
	if (view->notes && column->how == TALLY_SHORTEN_NAME)
		add_note(view, row, start, out);
}

/* Return the width of the widest cell. Cells wider than 80 columns are ignored, unless names are
 * shortened. */
static int column_width(const struct tally_diff_view *view, const struct diff_column *column)
{
	size_t width = TALLY_MAX(strlen(column->heading), (size_t)column->width);
	struct tally_str text = {0};

	/* Shares fit the default width; absolute values may be wider. */
	if (column->width && !view->unit)
		return column->width;
	for (size_t i = 0; i < view->nr_rows; i++) {
		size_t cell;

		tally_str_clear(&text);
		add_cell(view, column, view->rows[i], &text);
		cell = tally_width_of(tally_str_text(&text));
		width = cell <= WIDEST || view->line_width ? TALLY_MAX(width, cell) : width;
	}
	tally_str_free(&text);
	return (int)TALLY_MIN(width, 1u << 20);
}

_Static_assert(TALLY_ARRAY_SIZE(columns) == TALLY_DIFF_COLUMNS, "one width for each column");

/* Fit names into the space that metrics leave free. Space that a name column does not need is
 * passed on to the name columns after it. */
static void widths_fit(struct tally_diff_view *view)
{
	int left = view->line_width, names = 0;

	for (int i = 0; i < TALLY_DIFF_COLUMNS; i++) {
		bool is_name = !columns[i].width;

		if (!columns[i].is_shown(view))
			continue;
		names += is_name;
		left -= 2 + (is_name ? 0 : view->widths[i]);
	}
	for (int i = 0; i < TALLY_DIFF_COLUMNS; i++) {
		if (columns[i].width || !columns[i].is_shown(view))
			continue;
		view->widths[i] = TALLY_MIN(view->widths[i], TALLY_MAX(left / names, LEAST_NAME));
		left -= view->widths[i];
		names--;
	}
}

void tally_diff_view_measure(struct tally_diff_view *view)
{
	for (int i = 0; i < TALLY_DIFF_COLUMNS; i++) {
		if (columns[i].is_shown(view))
			view->widths[i] = view->separator ? 0 : column_width(view, &columns[i]);
	}
	if (view->line_width)
		widths_fit(view);
}

/* Pad the text that begins at `start` to the column's width; metrics are right-aligned. */
static void align(const struct tally_diff_view *view, int i, size_t start, struct tally_str *out)
{
	size_t width = (size_t)view->widths[i], len = out->len - start;
	size_t used = tally_width(tally_str_text(out) + start, len);

	if (used >= width)
		return;
	tally_str_pad_to(out, out->len + width - used);
	if (!columns[i].width || out->failed)
		return;
	memmove(out->data + start + width - used, out->data + start, len);
	memset(out->data + start, ' ', width - used);
}

static void add_dots(const struct tally_diff_view *view, struct tally_str *out)
{
	bool is_first = true;

	for (int i = 0; i < TALLY_DIFF_COLUMNS; i++) {
		if (!columns[i].is_shown(view))
			continue;
		tally_str_add(out, is_first ? " " : "  ");
		is_first = false;
		for (int n = 0; n < view->widths[i]; n++)
			tally_str_add_char(out, '.');
	}
}

void tally_diff_view_heading(const struct tally_diff_view *view, struct tally_str *out)
{
	bool is_first = true;

	tally_str_add(out, "#");
	for (int i = 0; i < TALLY_DIFF_COLUMNS; i++) {
		size_t start;

		if (!columns[i].is_shown(view))
			continue;
		tally_str_add(out, is_first ? " " : view->separator ? view->separator : "  ");
		is_first = false;
		start = out->len;
		tally_str_add(out, columns[i].heading);
		align(view, i, start, out);
	}
	if (!view->separator) {
		tally_str_add(out, "\n#");
		add_dots(view, out);
		tally_str_add(out, "\n#");
	}
	tally_str_add_char(out, '\n');
}

/* Return the last visible column, which is not padded. */
static int last_column(const struct tally_diff_view *view)
{
	int last = 0;

	for (int i = 0; i < TALLY_DIFF_COLUMNS; i++)
		last = columns[i].is_shown(view) ? i : last;
	return last;
}

void tally_diff_view_row(const struct tally_diff_view *view, const struct tally_diff_row *row,
			 struct tally_str *out)
{
	int last = last_column(view);
	bool is_first = true;

	for (int i = 0; i <= last; i++) {
		const struct diff_column *column = &columns[i];
		size_t start;

		if (!column->is_shown(view))
			continue;
		tally_str_add(out, !view->separator ? "  " : is_first ? "" : view->separator);
		is_first = false;
		start = out->len;
		add_cell(view, column, row, out);
		if (view->separator)
			tally_str_replace(out, start, view->separator[0], '.');
		else if (!column->width && view->line_width)
			tally_shorten(out, start, column->how, (size_t)view->widths[i],
				      TALLY_VIEW_MARK);
		if (i < last)
			align(view, i, start, out);
	}
	tally_str_add_char(out, '\n');
}
