/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording's health, and the summary printed on exit. */
#include "base/arith.h"
#include "cli/browser/browser_view.h"
#include "cli/main/output_stream.h"
#include "view/wrap.h"

enum { SUMMARY_LINES = 10 };

void browser_health(struct browser *browser)
{
	browser->source->health(browser->source->arg, &browser->health);
	tally_unmark_comments(&browser->health, 0);
}

static void summary_list(struct browser *browser, enum browser_list list, const char *heading,
			 struct tally_str *out)
{
	const struct browser_lists *lists = &browser->lists;
	uint64_t all = browser->total;
	struct tally_str share = {0};

	tally_str_addf(out, "\n%s\n", heading);
	for (uint32_t i = 0; i < TALLY_MIN(lists->nr[list], (uint32_t)SUMMARY_LINES); i++) {
		tally_str_clear(&share);
		tally_view_percent(browser_lists_period(lists, list, i), all, &share);
		tally_str_addf(out, "%8s  ", tally_str_text(&share));
		browser_lists_text(lists, browser, list, i, 68, "...", out);
		tally_str_add_char(out, '\n');
	}
	tally_str_free(&share);
}

int browser_summary(struct browser *browser)
{
	struct tally_str out = {0};
	int ret = browser_is_stale(browser) ? browser_select(browser) : 0;

	if (!ret)
		ret = browser_lists_build(&browser->lists, browser);
	if (!ret) {
		browser->view = &browser_overview;
		browser_title(browser, &out);
		tally_str_addf(&out, "\n%s", tally_str_text(&browser->health));
		summary_list(browser, BROWSER_THREADS, "Threads", &out);
		summary_list(browser, BROWSER_SELF, "Top functions, self", &out);
		if (browser_has_callchains(browser))
			summary_list(browser, BROWSER_TOTAL, "Top functions, total", &out);
		ret = tally_output_flush(&out);
	}
	tally_str_free(&out);
	return ret;
}
