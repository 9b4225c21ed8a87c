/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that fold functions into their callers, or drop samples. */
#include <errno.h>

#include "cli/browser/browser_state.h"
#include "cli/browser/browser_view.h"
#include "profile/functions.h"
#include "profile/short_names.h"

static int toggle_fold(struct browser *browser, unsigned fold, const char *on, const char *off)
{
	browser->filter.folds ^= fold;
	browser_set_message(browser, "%s", browser->filter.folds & fold ? on : off);
	browser->table.screen.cursor = 0;
	browser->is_stale = true;
	return 0;
}

int browser_fold_inlined(struct browser *browser)
{
	return toggle_fold(browser, TALLY_FOLD_INLINED,
			   "inlined functions are part of those that contain them",
			   "inlined functions are counted apart");
}

int browser_fold_foreign(struct browser *browser)
{
	return toggle_fold(
		browser, TALLY_FOLD_FOREIGN,
		"just my code: libraries, the kernel and std:: are part of their callers",
		"all code is shown");
}

/* Return the function at the cursor if it has a name. Otherwise show a message and return NULL. */
static const struct tally_frame *named_function(struct browser *browser, uint32_t *ret_number)
{
	const struct tally_frame *frame;

	if (!browser_function_at_cursor(browser, ret_number) || *ret_number == TALLY_FRAME_NONE)
		return NULL;
	frame = &browser->source->profile->frames.all.data[*ret_number];
	if (!frame->symbol)
		browser_set_message(browser, "this code has no function name");
	return frame->symbol ? frame : NULL;
}

int browser_merge(struct browser *browser)
{
	const struct tally_profile *profile = browser->source->profile;
	uint32_t number;
	const struct tally_frame *frame = named_function(browser, &number);
	int ret;

	if (!frame)
		return 0;
	ret = browser_filter_merge(&browser->filter, tally_frame_function(frame),
				   tally_profile_short_name(profile, number));
	if (ret)
		return ret;
	browser->is_stale = true;
	return 0;
}

int browser_drop(struct browser *browser)
{
	const struct tally_profile *profile = browser->source->profile;
	struct tally_str words = {0}, name = {0};
	uint32_t number;
	const struct tally_frame *frame = named_function(browser, &number);
	int ret = 0;

	if (!frame)
		return 0;
	tally_str_add(&words, "-");
	browser_add_term(&words, "sym", tally_symbol_name(frame->dso, frame->symbol));
	tally_str_addf(&name, "samples without %s", tally_profile_short_name(profile, number));
	if (tally_str_error(&words) || tally_str_error(&name))
		ret = -ENOMEM;
	else
		ret = browser_zoom(browser, BROWSER_ONLY_QUERY, tally_str_text(&words),
				   tally_str_text(&name));
	tally_str_free(&words);
	tally_str_free(&name);
	return ret;
}
