/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/browser/find_samples.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/browser/browser_state.h"

/* Mark each bucket that has the function in its callchain and passes the filter, ignoring terms
 * that filter by time. */
static int buckets_mark(struct browser *browser, const struct tally_frame *frame,
			uint8_t **ret_passes)
{
	const struct tally_profile *profile = browser->source->profile;
	uint32_t function = browser->chains.functions[frame - profile->frames.all.data];
	uint8_t *passes;
	int ret = browser_filter_passes(&browser->filter, profile, &passes);

	if (ret)
		return ret;
	if (!passes) {
		passes = malloc(profile->buckets.len + 1);
		if (!passes)
			return -ENOMEM;
		for (size_t i = 0; i < profile->buckets.len; i++)
			passes[i] = 1;
	}
	for (size_t i = 0; i < profile->buckets.len; i++)
		passes[i] =
			passes[i] && profile->buckets.data[i].key.event == browser->event &&
			tally_chains_has(&browser->chains, &profile->buckets.data[i].key, function);
	*ret_passes = passes;
	return 0;
}

int browser_find_samples(struct browser *browser, const struct tally_frame *frame,
			 uint64_t **ret_bits, uint64_t *ret_nr)
{
	const struct tally_selection_options options =
		browser_filter_options(&browser->filter, browser->event);
	uint8_t *passes;
	int ret = browser_chains_build(browser);

	if (!ret)
		ret = buckets_mark(browser, frame, &passes);
	if (ret)
		return ret;
	ret = tally_selection_numbers(browser->source->profile, passes, &options, ret_bits, ret_nr);
	free(passes);
	return ret;
}
