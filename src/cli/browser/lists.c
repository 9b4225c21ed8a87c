/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/lists.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/escape.h"
#include "cli/browser/browser_state.h"
#include "view/shorten.h"

static uint64_t row_weight(const struct tally_row *row, enum browser_list list)
{
	return list == BROWSER_TOTAL ? row->total : row->self;
}

/* Insert a row into a list if it is among the heaviest. Rows are offered in order of their total,
 * so few insertions are needed. */
static void list_offer(struct browser_lists *lists, enum browser_list list,
		       const struct tally_hist *hist, uint32_t row)
{
	uint32_t *rows = lists->rows[list], at = lists->nr[list];
	uint64_t weight = row_weight(&hist->rows.data[row], list);

	if (!weight)
		return;
	while (at && row_weight(&hist->rows.data[rows[at - 1]], list) < weight)
		at--;
	if (at == BROWSER_LIST_MAX)
		return;
	lists->nr[list] = TALLY_MIN(lists->nr[list] + 1, (uint32_t)BROWSER_LIST_MAX);
	for (uint32_t i = lists->nr[list] - 1; i > at; i--)
		rows[i] = rows[i - 1];
	rows[at] = row;
}

static int build(struct browser *browser, unsigned keys, bool children, struct tally_hist *ret_hist)
{
	struct tally_hist_options options = {
		.keys = keys,
		.children = children,
		.joins_unnamed = true,
		.selection = &browser->selection,
	};

	return tally_hist_build(browser->source->profile, browser->event, &options, ret_hist);
}

void browser_lists_free(struct browser_lists *lists)
{
	tally_hist_free(&lists->functions);
	tally_hist_free(&lists->threads);
	lists->is_made = false;
}

int browser_lists_build(struct browser_lists *lists, struct browser *browser)
{
	bool has_chains = browser_has_callchains(browser);
	int ret;

	if (lists->is_made && lists->generation == browser->generation)
		return 0;
	browser_lists_free(lists);
	*lists = (struct browser_lists){.focus = lists->focus, .generation = browser->generation};
	ret = build(browser, TALLY_KEY_DSO | TALLY_KEY_SYMBOL, has_chains, &lists->functions);
	if (!ret)
		ret = build(browser, TALLY_KEY_COMM | TALLY_KEY_TID, false, &lists->threads);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < lists->functions.rows.len; i++) {
		list_offer(lists, BROWSER_SELF, &lists->functions, i);
		list_offer(lists, BROWSER_TOTAL, &lists->functions, i);
	}
	for (uint32_t i = 0; i < lists->threads.rows.len; i++)
		list_offer(lists, BROWSER_THREADS, &lists->threads, i);
	lists->is_made = true;
	return 0;
}

const struct tally_row *browser_lists_row(const struct browser_lists *lists, enum browser_list list,
					  uint32_t i)
{
	const struct tally_hist *hist =
		list == BROWSER_THREADS ? &lists->threads : &lists->functions;

	return &hist->rows.data[lists->rows[list][i]];
}

uint64_t browser_lists_period(const struct browser_lists *lists, enum browser_list list, uint32_t i)
{
	return row_weight(browser_lists_row(lists, list, i), list);
}

void browser_lists_text(const struct browser_lists *lists, const struct browser *browser,
			enum browser_list list, uint32_t i, size_t columns, const char *mark,
			struct tally_str *out)
{
	const struct tally_profile *profile = browser->source->profile;
	const struct tally_row *row = browser_lists_row(lists, list, i);
	const struct tally_group *group;
	size_t start = out->len;

	if (list != BROWSER_THREADS) {
		tally_flame_name(profile, row->frame, columns, mark, out);
		return;
	}
	group = &lists->threads.groups.data[row->group];
	tally_str_addf(out, "%" PRId32 " %s", group->tid,
		       tally_intern_text(tally_machine_comms(profile->machine), group->comm));
	tally_str_escape(out, start);
	tally_shorten(out, start, TALLY_SHORTEN_TEXT, columns, mark);
}
