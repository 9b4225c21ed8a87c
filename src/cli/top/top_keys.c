/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that tally top adds to the browser's keys. */
#include "base/arith.h"
#include "cli/top/top_screen.h"

static struct top *top_of(const struct browser *browser)
{
	return browser->source->arg;
}

static int key_zero(struct browser *browser)
{
	return browser_toggle(browser, &top_of(browser)->config->zero, "only the last interval",
			      "old samples decay");
}

static int key_pause(struct browser *browser)
{
	return browser_toggle(browser, &top_of(browser)->is_paused, "", "resumed");
}

const struct browser_key top_keys[] = {{'z', key_zero}, {'f', key_pause}, {'p', key_pause}};
const size_t top_nr_keys = TALLY_ARRAY_SIZE(top_keys);

const char *const top_keys_help[] = {
	"z          show only the last interval, or let old samples decay",
	"f p        pause",
};
const size_t top_nr_keys_help = TALLY_ARRAY_SIZE(top_keys_help);
