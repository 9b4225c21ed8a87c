/* SPDX-License-Identifier: BSD-2-Clause */
/* The browser's selection, recomputed when the filter, the event or the profile changes. */
#include "base/arith.h"
#include "cli/browser/browser_state.h"

static void chains_drop(struct browser *browser)
{
	tally_chains_free(&browser->chains);
	browser->has_chains = false;
}

bool browser_has_callchains(const struct browser *browser)
{
	return browser->source->rows->show.style != TALLY_STYLE_NONE;
}

const char *browser_no_callchains(const struct browser *browser)
{
	return browser->source->live ? "there are no callchains: use top --call-graph auto"
				     : "there are no callchains: use record --call-graph auto";
}

int browser_chains_build(struct browser *browser)
{
	int ret = 0;

	if (!browser->has_chains)
		ret = tally_chains_build(browser->source->profile, &browser->selection,
					 &browser->chains);
	browser->has_chains = !ret;
	return ret;
}

uint32_t browser_frame_refind(const struct browser *browser, uint32_t number,
			      const struct tally_frame *was)
{
	const struct tally_frames *frames = &browser->source->profile->frames;

	if (number == TALLY_FRAME_NONE || !browser->source->live)
		return number;
	for (uint32_t i = 0; i < frames->all.len; i++) {
		if (frames->all.data[i].dso == was->dso &&
		    frames->all.data[i].symbol == was->symbol)
			return i;
	}
	return TALLY_FRAME_NONE;
}

/* Compute a new selection. */
static int selection_recompute(struct browser *browser)
{
	struct tally_profile *profile = browser->source->profile;
	struct tally_selection selection;
	int ret = tally_profile_finish(profile);

	if (!ret)
		ret = browser_filter_select(&browser->filter, profile, browser->event, &selection);
	if (ret)
		return ret;
	if (!browser->source->live)
		browser_cache_store(&browser->kept, browser);
	tally_selection_free(&browser->selection);
	chains_drop(browser);
	browser->selection = selection;
	browser->selected = browser->event;
	browser->mark = browser_filter_mark(&browser->filter);
	browser->generation = ++browser->nr_generations;
	return 0;
}

/* Find the first and the last sample in the selected time, regardless of names and threads. */
static void times_find(struct browser *browser)
{
	const struct tally_profile *profile = browser->source->profile;
	const struct tally_selection_options options =
		browser_filter_options(&browser->filter, browser->event);

	browser->first = browser->last = 0;
	/* A live profile may have no samples yet. */
	if (browser->event >= profile->totals.len)
		return;
	browser->first = profile->totals.data[browser->event].first;
	browser->last = profile->totals.data[browser->event].last;
	if (!options.is_timed && !options.nr_queries)
		return;
	browser->first = browser->last = 0;
	tally_vec_for_each (kept, &profile->kept) {
		if (profile->buckets.data[kept->bucket].key.event != browser->event ||
		    !tally_selection_includes_time(&options, kept->time))
			continue;
		if (!browser->first || kept->time < browser->first)
			browser->first = kept->time;
		browser->last = TALLY_MAX(browser->last, kept->time);
	}
}

int browser_select(struct browser *browser)
{
	const struct tally_browser_live *live = browser->source->live;
	struct tally_profile *profile = browser->source->profile;
	int ret = 0;

	browser->is_stale = false;
	if (!profile)
		return 0;
	if (live || !browser_cache_restore(&browser->kept, browser))
		ret = selection_recompute(browser);
	if (ret)
		return ret;
	browser->function =
		browser_frame_refind(browser, browser->function, &browser->function_frame);
	browser->pivot = browser_frame_refind(browser, browser->pivot, &browser->pivot_frame);
	browser->seen = live ? *live->generation : 0;
	browser->total = tally_shown_rows_total(profile, browser->event);
	times_find(browser);
	return 0;
}

bool browser_is_partial(const struct browser *browser)
{
	/* The options for the recording can exclude samples, too. */
	return (browser->filter.steps.len || !browser->source->live) &&
	       browser->selection.period != browser->total;
}

uint64_t browser_whole(const struct browser *browser)
{
	return browser_is_partial(browser) && !browser->is_absolute ? browser->selection.period
								    : browser->total;
}

bool browser_is_stale(const struct browser *browser)
{
	const struct tally_browser_live *live = browser->source->live;

	return browser->is_stale || (live && browser->seen != *live->generation);
}
