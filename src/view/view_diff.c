/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects and sorts the rows of a diff. */
#include "view/view_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

static const char *const verdict_names[] = {
	[TALLY_DIFF_UNKNOWN] = "unknown", [TALLY_DIFF_FEW] = "few-samples",
	[TALLY_DIFF_SAME] = "same",       [TALLY_DIFF_GREW] = "grew",
	[TALLY_DIFF_SHRANK] = "shrank",
};

static const char *const state_names[] = {
	[TALLY_DIFF_BOTH] = "both",
	[TALLY_DIFF_NEW] = "new",
	[TALLY_DIFF_GONE] = "gone",
	[TALLY_DIFF_INLINED_NOW] = "inlined-now",
	[TALLY_DIFF_WAS_INLINED] = "was-inlined",
	[TALLY_DIFF_MOVED_TO] = "moved-to",
	[TALLY_DIFF_MOVED_FROM] = "moved-from",
};

const char *tally_diff_verdict_name(enum tally_diff_verdict verdict)
{
	return verdict_names[verdict];
}

const char *tally_diff_state_name(enum tally_diff_state state)
{
	return state_names[state];
}

bool tally_diff_is_changed(const struct tally_diff_value *value)
{
	return value->verdict == TALLY_DIFF_GREW || value->verdict == TALLY_DIFF_SHRANK;
}

double tally_diff_view_delta(const struct tally_diff_view *view, const struct tally_diff_row *row)
{
	const struct tally_diff_value *value = &row->values[view->measure];

	return value->mean[TALLY_SIDE_B] - value->mean[TALLY_SIDE_A];
}

static bool is_shown(const struct tally_diff_view *view, const struct tally_diff_row *row)
{
	const struct tally_diff_value *value = &row->values[view->measure];

	if (value->nr[TALLY_SIDE_A] + value->nr[TALLY_SIDE_B] <= 0)
		return false;
	if (view->matched && (value->nr[TALLY_SIDE_A] <= 0 || value->nr[TALLY_SIDE_B] <= 0))
		return false;
	return !view->changed || tally_diff_is_changed(value);
}

/* Return the class of a row, the first sort criterion: rows with a value, then rows without a
 * value, then rows that exist only on side A. With verdicts, the absence of a function is a change
 * like any other; without, the order is perf's. */
static int row_class(const struct tally_diff_view *view, const struct tally_diff_row *row)
{
	const struct tally_diff_value *value = &row->values[view->measure];
	bool needs_both =
		view->compute == TALLY_COMPUTE_RATIO || view->compute == TALLY_COMPUTE_WDIFF;

	if (value->nr[TALLY_SIDE_B] <= 0 && (needs_both || !view->has_verdicts))
		return 2;
	return needs_both && value->nr[TALLY_SIDE_A] <= 0;
}

static double row_rank(const struct tally_diff_view *view, const struct tally_diff_row *row)
{
	const struct tally_diff_value *value = &row->values[view->measure];
	double delta = tally_diff_view_delta(view, row);

	switch (view->compute) {
	case TALLY_COMPUTE_DELTA_ABS: return fabs(delta);
	case TALLY_COMPUTE_DELTA: return delta;
	case TALLY_COMPUTE_RATIO:
		return value->period[TALLY_SIDE_A] > 0
			       ? value->period[TALLY_SIDE_B] / value->period[TALLY_SIDE_A]
			       : 0;
	case TALLY_COMPUTE_WDIFF:
		return value->period[TALLY_SIDE_B] * view->weights[TALLY_SIDE_B] -
		       value->period[TALLY_SIDE_A] * view->weights[TALLY_SIDE_A];
	}
	return 0;
}

static int compare_names(const struct tally_diff *diff, uint32_t a, uint32_t b)
{
	const char *x = tally_diff_name(diff, a), *y = tally_diff_name(diff, b);

	return a == b || !x || !y ? (x != NULL) - (y != NULL) : strcmp(x, y);
}

static int compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_rows(const void *x, const void *y, void *arg)
{
	const struct tally_diff_row *a = *(const struct tally_diff_row *const *)x;
	const struct tally_diff_row *b = *(const struct tally_diff_row *const *)y;
	const struct tally_diff_view *view = arg;
	int order = 0;

	if (!view->by_baseline)
		order = row_class(view, a) - row_class(view, b);
	if (!order && !view->by_baseline)
		order = compare_numbers(row_rank(view, b), row_rank(view, a));
	if (!order)
		order = compare_numbers(b->values[view->measure].mean[TALLY_SIDE_A],
					a->values[view->measure].mean[TALLY_SIDE_A]);
	if (!order)
		order = compare_names(view->diff, a->file, b->file);
	if (!order)
		order = compare_names(view->diff, a->symbol, b->symbol);
	if (!order)
		order = compare_names(view->diff, a->comm, b->comm);
	return order ? order : compare_numbers((double)a->path, (double)b->path);
}

int tally_diff_view_rows(struct tally_diff_view *view)
{
	const struct tally_diff_row **rows =
		calloc(view->diff->rows.len + 1, sizeof(const struct tally_diff_row *));

	if (!rows)
		return -ENOMEM;
	view->nr_rows = 0;
	view->baseline_period = 0;
	tally_vec_for_each (row, &view->diff->rows) {
		if (!is_shown(view, row))
			continue;
		rows[view->nr_rows++] = row;
		view->baseline_period += row->values[view->measure].period[TALLY_SIDE_A];
	}
	qsort_r(rows, view->nr_rows, sizeof(const struct tally_diff_row *), compare_rows, view);
	view->rows = rows;
	return 0;
}
