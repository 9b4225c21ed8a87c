/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/selection_cache.h"

#include "cli/browser/browser_state.h"

static void cached_selection_free(struct browser_cached_selection *it)
{
	tally_selection_free(&it->selection);
	tally_chains_free(&it->chains);
	browser_lists_free(&it->lists);
	tally_shown_rows_free(&it->rows.rows);
	*it = (struct browser_cached_selection){0};
}

void browser_cache_free(struct browser_cache *kept)
{
	for (size_t i = 0; i < BROWSER_CACHE_MAX; i++)
		cached_selection_free(&kept->all[i]);
}

/* Detach the selection and the data derived from it from the browser. */
static struct browser_cached_selection cache_detach(struct browser *browser)
{
	struct browser_cached_selection it = {
		.mark = browser->mark,
		.generation = browser->generation,
		.event = browser->selected,
		.has_chains = browser->has_chains,
		.selection = browser->selection,
		.chains = browser->chains,
		.lists = browser->lists,
		.rows = browser_table_detach(&browser->table, browser->generation),
	};

	browser->selection = (struct tally_selection){0};
	browser->chains = (struct tally_chains){0};
	browser->has_chains = false;
	browser->lists = (struct browser_lists){.focus = it.lists.focus};
	return it;
}

static void cache_attach(struct browser *browser, struct browser_cached_selection *it)
{
	enum tally_top_list focus = browser->lists.focus;

	browser->mark = it->mark;
	browser->generation = it->generation;
	browser->selected = it->event;
	browser->has_chains = it->has_chains;
	browser->selection = it->selection;
	browser->chains = it->chains;
	browser->lists = it->lists;
	browser->lists.focus = focus;
	browser_table_attach(&browser->table, &it->rows, it->generation);
}

void browser_cache_store(struct browser_cache *kept, struct browser *browser)
{
	struct browser_cached_selection *least = &kept->all[0];

	if (!browser->generation)
		return;
	for (size_t i = 1; i < BROWSER_CACHE_MAX; i++) {
		if (kept->all[i].selection.nr_buckets < least->selection.nr_buckets)
			least = &kept->all[i];
	}
	cached_selection_free(least);
	*least = cache_detach(browser);
}

bool browser_cache_restore(struct browser_cache *kept, struct browser *browser)
{
	uint64_t mark = browser_filter_mark(&browser->filter);

	if (browser->generation && browser->mark == mark && browser->selected == browser->event)
		return true;
	for (size_t i = 0; i < BROWSER_CACHE_MAX; i++) {
		struct browser_cached_selection found = kept->all[i];

		if (!found.generation || found.mark != mark || found.event != browser->event)
			continue;
		kept->all[i] = cache_detach(browser);
		cache_attach(browser, &found);
		return true;
	}
	return false;
}
