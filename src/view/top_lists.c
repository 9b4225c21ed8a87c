/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/top_lists.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/path.h"
#include "profile/frame_text.h"
#include "view/flame.h"
#include "view/shorten.h"
#include "view/top_names.h"

/* Minimum width of a function's text with a mark for inlined functions. */
enum { MARKED_MIN = 16 };

static uint64_t row_weight(const struct tally_row *row, enum tally_top_list list)
{
	return list == TALLY_TOP_TOTAL ? row->total : row->self;
}

static const struct tally_hist *hist_of(const struct tally_top_lists *lists,
					enum tally_top_list list)
{
	switch (list) {
	case TALLY_TOP_LINES: return &lists->lines;
	case TALLY_TOP_THREADS: return &lists->threads;
	default: return &lists->functions;
	}
}

static const struct tally_line *row_line(const struct tally_top_lists *lists,
					 const struct tally_row *row)
{
	const struct tally_line *line = lists->profile->frames.all.data[row->frame].line;

	return line && line->file && line->line ? line : NULL;
}

/* Insert a row into a list if it is among the heaviest. Rows are offered in order of their total,
 * so few insertions are needed. */
static void list_offer(struct tally_top_lists *lists, enum tally_top_list list, uint32_t row)
{
	const struct tally_hist *hist = hist_of(lists, list);
	uint32_t *rows = lists->rows[list], at = lists->nr[list];
	uint64_t weight = row_weight(&hist->rows.data[row], list);

	if (!weight)
		return;
	while (at && row_weight(&hist->rows.data[rows[at - 1]], list) < weight)
		at--;
	if (at == TALLY_TOP_MAX)
		return;
	lists->nr[list] = TALLY_MIN(lists->nr[list] + 1, (uint32_t)TALLY_TOP_MAX);
	for (uint32_t i = lists->nr[list] - 1; i > at; i--)
		rows[i] = rows[i - 1];
	rows[at] = row;
}

static void lists_fill(struct tally_top_lists *lists)
{
	for (uint32_t i = 0; i < lists->functions.rows.len; i++) {
		list_offer(lists, TALLY_TOP_SELF, i);
		list_offer(lists, TALLY_TOP_TOTAL, i);
	}
	for (uint32_t i = 0; i < lists->lines.rows.len; i++) {
		if (row_line(lists, &lists->lines.rows.data[i]))
			list_offer(lists, TALLY_TOP_LINES, i);
	}
	for (uint32_t i = 0; i < lists->threads.rows.len; i++)
		list_offer(lists, TALLY_TOP_THREADS, i);
}

int tally_top_lists_build(struct tally_profile *profile, uint32_t event,
			  const struct tally_selection *selection, bool has_chains,
			  struct tally_top_lists *ret_lists)
{
	struct tally_top_lists lists = {.profile = profile};
	struct tally_hist_options options = {
		.keys = TALLY_KEY_DSO | TALLY_KEY_SYMBOL,
		.children = has_chains,
		.joins_unnamed = true,
		.has_paths = true,
		.selection = selection,
	};
	int ret = tally_hist_build(profile, event, &options, &lists.functions);

	options.children = false;
	options.keys = TALLY_KEY_LINE;
	if (!ret && profile->options.lines & (TALLY_LINES_ALL | TALLY_LINES_OWN))
		ret = tally_hist_build(profile, event, &options, &lists.lines);
	options.keys = TALLY_KEY_COMM | TALLY_KEY_TID;
	if (!ret)
		ret = tally_hist_build(profile, event, &options, &lists.threads);
	if (ret) {
		tally_top_lists_free(&lists);
		return ret;
	}
	lists_fill(&lists);
	*ret_lists = lists;
	return 0;
}

void tally_top_lists_free(struct tally_top_lists *lists)
{
	tally_hist_free(&lists->functions);
	tally_hist_free(&lists->lines);
	tally_hist_free(&lists->threads);
}

const struct tally_row *tally_top_lists_row(const struct tally_top_lists *lists,
					    enum tally_top_list list, uint32_t i)
{
	return &hist_of(lists, list)->rows.data[lists->rows[list][i]];
}

uint64_t tally_top_lists_period(const struct tally_top_lists *lists, enum tally_top_list list,
				uint32_t i)
{
	return row_weight(tally_top_lists_row(lists, list, i), list);
}

const char *tally_top_lists_mark(const struct tally_top_lists *lists, const struct tally_row *row)
{
	return tally_frame_is_inlined(&lists->profile->frames.all.data[row->frame]) ? "i " : "  ";
}

static void line_text(const struct tally_top_lists *lists, const struct tally_row *row,
		      size_t columns, const char *mark, struct tally_str *out)
{
	const struct tally_line *line = row_line(lists, row);
	size_t start = out->len, used;

	tally_str_addf(out, "%s:%" PRIu32, tally_path_name(line->file), line->line);
	tally_str_escape(out, start);
	tally_shorten(out, start, TALLY_SHORTEN_TEXT, columns, mark);
	tally_str_add(out, "  ");
	tally_str_add(out, tally_top_lists_mark(lists, row));
	used = out->len - start;
	tally_flame_name(lists->profile, row->frame, columns > used ? columns - used : 0, mark,
			 out);
}

void tally_top_lists_text(const struct tally_top_lists *lists, enum tally_top_list list, uint32_t i,
			  size_t columns, const char *mark, struct tally_str *out)
{
	const struct tally_row *row = tally_top_lists_row(lists, list, i);
	const struct tally_group *group;
	size_t start = out->len;

	if (list == TALLY_TOP_LINES) {
		line_text(lists, row, columns, mark, out);
		return;
	}
	if (list != TALLY_TOP_THREADS) {
		size_t marked = columns >= MARKED_MIN ? 2 : 0;

		tally_str_add(out, marked ? tally_top_lists_mark(lists, row) : "");
		tally_top_names_add(lists, list, i, columns - marked, mark, out);
		return;
	}
	group = &lists->threads.groups.data[row->group];
	tally_str_addf(
		out, "%" PRId32 " %s", group->tid,
		tally_intern_text(tally_machine_comms(lists->profile->machine), group->comm));
	tally_str_escape(out, start);
	tally_shorten(out, start, TALLY_SHORTEN_TEXT, columns, mark);
}
