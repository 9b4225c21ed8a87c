/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "view/view_diff.h"

enum { DECIMALS = 9 };

static void json_name(const struct tally_diff *diff, const char *key, uint32_t name,
		      struct tally_str *out)
{
	if (name != TALLY_NAME_NONE)
		tally_json_text(out, key, tally_diff_name(diff, name));
}

static void json_path(const struct tally_diff *diff, uint32_t number, struct tally_str *out)
{
	const struct tally_interned *path;

	if (number == TALLY_NAME_NONE)
		return;
	path = &diff->paths.strings.data[number];
	tally_json_open(out, "path", '[');
	for (uint32_t i = 0; i < path->len / sizeof(uint32_t); i++) {
		uint32_t name;

		memcpy(&name, path->text + i * sizeof(name), sizeof(name));
		tally_json_text(out, NULL, tally_diff_name(diff, name));
	}
	tally_json_close(out, ']');
}

static void json_recordings(const struct tally_diff *diff, const struct tally_diff_row *row,
			    int measure, struct tally_str *out)
{
	tally_json_open(out, "values", '[');
	for (uint32_t i = 0; i < diff->recordings.len; i++)
		tally_json_double(out, NULL, tally_diff_value_of(diff, row, i, measure), DECIMALS);
	tally_json_close(out, ']');
}

static void json_value(const struct tally_diff *diff, const struct tally_diff_row *row,
		       const char *key, int measure, struct tally_str *out)
{
	const struct tally_diff_value *value = &row->values[measure];
	const double *mean = value->mean;

	tally_json_open(out, key, '{');
	tally_json_double(out, "baseline", mean[TALLY_SIDE_A], DECIMALS);
	tally_json_double(out, "value", mean[TALLY_SIDE_B], DECIMALS);
	tally_json_double(out, "delta", mean[TALLY_SIDE_B] - mean[TALLY_SIDE_A], DECIMALS);
	tally_json_double(out, "noise", value->noise, DECIMALS);
	tally_json_double(out, "within", value->within, DECIMALS);
	tally_json_double(out, "p", value->p, DECIMALS);
	tally_json_text(out, "verdict", tally_diff_verdict_name(value->verdict));
	tally_json_double(out, "baseline_samples", value->nr[TALLY_SIDE_A], 0);
	tally_json_double(out, "samples", value->nr[TALLY_SIDE_B], 0);
	tally_json_double(out, "baseline_period", value->period[TALLY_SIDE_A], 0);
	tally_json_double(out, "period", value->period[TALLY_SIDE_B], 0);
	json_recordings(diff, row, measure, out);
	tally_json_close(out, '}');
}

void tally_diff_view_row_json(const struct tally_diff_view *view, const struct tally_diff_row *row,
			      struct tally_str *out)
{
	const struct tally_diff *diff = view->diff;

	tally_json_open(out, NULL, '{');
	json_name(diff, "comm", row->comm, out);
	json_name(diff, "dso", row->file, out);
	json_name(diff, "symbol", row->symbol, out);
	if (row->variant != row->symbol)
		json_name(diff, "signature", row->variant, out);
	json_path(diff, row->path, out);
	tally_json_text(out, "state", tally_diff_state_name(row->state));
	if (row->other != UINT32_MAX)
		json_name(diff, "other_dso", diff->rows.data[row->other].file, out);
	json_value(diff, row, "self", TALLY_DIFF_SELF, out);
	if (diff->has_paths && !diff->options.by_path)
		json_value(diff, row, "total", TALLY_DIFF_TOTAL, out);
	tally_json_close(out, '}');
}

void tally_diff_view_json(const struct tally_diff_view *view, struct tally_str *out)
{
	const struct tally_diff *diff = view->diff;

	tally_json_text(out, "unit", view->unit ? view->unit : "share");
	tally_json_u64(out, "judged_rows", diff->judged[view->measure]);
	tally_json_open(out, "recordings", '[');
	tally_vec_for_each (of, &diff->recordings) {
		tally_json_open(out, NULL, '{');
		tally_json_u64(out, "file", of->input);
		tally_json_text(out, "side", of->side == TALLY_SIDE_A ? "a" : "b");
		tally_json_u64(out, "samples", of->nr);
		tally_json_u64(out, "period", of->period);
		tally_json_close(out, '}');
	}
	tally_json_close(out, ']');
}
