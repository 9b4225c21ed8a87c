/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/lists.h"

#include "cli/browser/browser_state.h"

void browser_lists_free(struct browser_lists *lists)
{
	if (lists->is_made)
		tally_top_lists_free(&lists->top);
	lists->is_made = false;
}

int browser_lists_build(struct browser_lists *lists, struct browser *browser)
{
	int ret;

	if (lists->is_made && lists->generation == browser->generation)
		return 0;
	browser_lists_free(lists);
	*lists = (struct browser_lists){.focus = lists->focus, .generation = browser->generation};
	ret = tally_top_lists_build(browser->source->profile, browser->event, &browser->selection,
				    browser_has_callchains(browser), &lists->top);
	lists->is_made = !ret;
	return ret;
}
