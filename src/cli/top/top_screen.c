/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/top/top_screen.h"

#include "cli/top/end.h"
#include "cli/top/top_feed.h"
#include "cli/top/top_header.h"
#include "cli/top/top_rows.h"

enum { MOST_ROWS = 10000 };

static void add_title(void *arg, uint32_t event, struct tally_str *out)
{
	top_header_text(arg, out);
}

static const char *state(void *arg)
{
	const struct top *top = arg;

	return top->is_paused ? "paused: p resumes" : NULL;
}

static void shown(void *arg)
{
	top_rows_finished(arg);
}

/* Restart the profile if its buckets are too coarse for the new sort order. Buckets never become
 * coarser, so zooms stay valid. */
static int reorder(void *arg)
{
	struct top *top = arg;
	unsigned by = top_profile_by(&top->config->rows.show) | top->profile.options.by;

	return by == top->profile.options.by ? 0 : top_feed_restart(top, by);
}

static const char *event_name(void *arg, uint32_t event)
{
	struct top *top = arg;

	if (event >= top_nr_events(top))
		return NULL;
	tally_str_clear(&top->event_name);
	tally_sampler_event_name(&top->sampler, event, &top->event_name);
	return tally_str_text(&top->event_name);
}

/* Return the sample fields that filters can use. Aggregated samples have no timestamp, and have a
 * CPU and a thread only if the profile is bucketed by CPU and by thread. */
static uint64_t fields(void *arg, uint32_t event)
{
	const struct top *top = arg;
	uint64_t cpu = top->profile.options.by & TALLY_BY_CPU ? PERF_SAMPLE_CPU : 0;
	uint64_t tid = top->profile.options.by & TALLY_BY_THREAD ? PERF_SAMPLE_TID : 0;

	return cpu | tid;
}

int top_screen_run(struct top *top, int signals)
{
	struct top_config *config = top->config;
	const struct tally_browser_live live = {
		.lock = &top->lock,
		.generation = &top->generation,
		.is_over = &top->is_over,
		.error = &top->error,
		.wake = top->wake_main,
		.signals = signals,
		.state = state,
		.shown = shown,
		.reorder = reorder,
		.keys = top_keys,
		.nr_keys = top_nr_keys,
		.help = top_keys_help,
		.nr_help = top_nr_keys_help,
	};
	const struct tally_browser_source source = {
		.live = &live,
		.views = tally_browser_live_views,
		.profile = &top->profile,
		.labels = &top->labels.of,
		.rows = &config->rows,
		.nr_events = (uint32_t)top_nr_events(top),
		.count_filter = config->count_filter,
		.most = config->entries ? config->entries : MOST_ROWS,
		.hide_kernel = config->hide_kernel,
		.hide_user = config->hide_user,
		.event = event_name,
		.fields = fields,
		.title = add_title,
		.arg = top,
	};

	return top_explain_end(top, tally_browser_run(&source));
}
