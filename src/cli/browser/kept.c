/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/kept.h"

#include "cli/browser/state.h"

static void looked_at_free(struct browser_looked_at *it)
{
	tally_selection_free(&it->selection);
	tally_chains_free(&it->chains);
	browser_lists_free(&it->lists);
	tally_chosen_free(&it->rows.rows);
	*it = (struct browser_looked_at){0};
}

void browser_kept_free(struct browser_kept *kept)
{
	for (size_t i = 0; i < BROWSER_KEPT_MAX; i++)
		looked_at_free(&kept->all[i]);
}

/* Detach the selection and the data derived from it from the browser. */
static struct browser_looked_at lift(struct browser *browser)
{
	struct browser_looked_at it = {
		.mark = browser->mark,
		.generation = browser->generation,
		.event = browser->selected,
		.has_chains = browser->has_chains,
		.selection = browser->selection,
		.chains = browser->chains,
		.lists = browser->lists,
		.rows = browser_table_lift(&browser->table, browser->generation),
	};

	browser->selection = (struct tally_selection){0};
	browser->chains = (struct tally_chains){0};
	browser->has_chains = false;
	browser->lists = (struct browser_lists){.focus = it.lists.focus};
	return it;
}

static void put_down(struct browser *browser, struct browser_looked_at *it)
{
	enum browser_list focus = browser->lists.focus;

	browser->mark = it->mark;
	browser->generation = it->generation;
	browser->selected = it->event;
	browser->has_chains = it->has_chains;
	browser->selection = it->selection;
	browser->chains = it->chains;
	browser->lists = it->lists;
	browser->lists.focus = focus;
	browser_table_put(&browser->table, &it->rows, it->generation);
}

void browser_kept_put(struct browser_kept *kept, struct browser *browser)
{
	struct browser_looked_at *least = &kept->all[0];

	if (!browser->generation)
		return;
	for (size_t i = 1; i < BROWSER_KEPT_MAX; i++) {
		if (kept->all[i].selection.nr_buckets < least->selection.nr_buckets)
			least = &kept->all[i];
	}
	looked_at_free(least);
	*least = lift(browser);
}

bool browser_kept_take(struct browser_kept *kept, struct browser *browser)
{
	uint64_t mark = browser_filter_mark(&browser->filter);

	if (browser->generation && browser->mark == mark && browser->selected == browser->event)
		return true;
	for (size_t i = 0; i < BROWSER_KEPT_MAX; i++) {
		struct browser_looked_at found = kept->all[i];

		if (!found.generation || found.mark != mark || found.event != browser->event)
			continue;
		kept->all[i] = lift(browser);
		put_down(browser, &found);
		return true;
	}
	return false;
}
