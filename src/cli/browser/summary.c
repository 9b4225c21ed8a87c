/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording's health, and the summary printed on exit. */
#include "base/arith.h"
#include "cli/browser/browser_view.h"
#include "cli/main/output_stream.h"
#include "view/wrap.h"

enum { SUMMARY_COLUMNS = 120 };

void browser_health(struct browser *browser)
{
	browser->source->health(browser->source->arg, &browser->health);
	tally_unmark_comments(&browser->health, 0);
}

struct tally_summary browser_summarize(const struct browser *browser)
{
	const struct tally_browser_source *source = browser->source;

	return (struct tally_summary){
		.name = source->what,
		.event_name = source->event(source->arg, browser->event),
		.is_time = source->is_time && source->is_time(source->arg, browser->event),
		.has_chains = browser_has_callchains(browser),
		.inlined_apart = source->profile->options.lines & TALLY_LINES_SELF &&
				 !(browser->filter.folds & TALLY_FOLD_INLINED),
		.is_partial = browser_is_partial(browser),
		.is_temporary = source->is_temporary,
		.nr = browser->selection.nr,
		.period = browser->selection.period,
		.whole = browser_whole(browser),
		.all = browser->total,
		.first = browser->first,
		.last = browser->last,
		.health = tally_str_text(&browser->health),
	};
}

int browser_summary(struct browser *browser)
{
	struct tally_summary summary;
	struct tally_str out = {0};
	int ret = browser_is_stale(browser) ? browser_select(browser) : 0;

	if (!ret)
		ret = browser_lists_build(&browser->lists, browser);
	if (ret)
		return ret;
	summary = browser_summarize(browser);
	summary.columns = (size_t)TALLY_MIN(tally_output_size().columns, SUMMARY_COLUMNS);
	tally_summary_text(&summary, &browser->lists.top, &out);
	ret = tally_output_flush(&out);
	tally_str_free(&out);
	return ret;
}
