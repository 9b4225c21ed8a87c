/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the samples of a profile to the columns of a page. */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "base/map.h"
#include "page/page_table.h"

/* The zigzag encoding of a difference must not exceed PAGE_VALUE_MAX. */
#define TIME_MAX ((UINT64_C(1) << 52) - 1)

enum { AT_EVERY = 1 << 14 };

/* State while adding a recording. Translates the profile's indexes to the page's indexes. */
struct page_adder {
	struct tally_html *page;
	const struct tally_html_recording *recording;
	const struct tally_profile *profile;
	uint32_t *nodes;          /* each bucket's index in the page + 1; 0 if not added yet */
	uint32_t *events;         /* each event's index in the page + 1; 0 if not added yet */
	struct tally_map threads; /* maps (thread, comm) to the page's thread */
	uint32_t *order;          /* sample indexes in time order; NULL if already in order */
	uint64_t first, last, nr; /* time range, 0 if there is none; number of included samples */
	uint64_t nr_timeless;
	uint64_t time; /* timestamp of the previous sample */
};

static bool kept_passes(const struct page_adder *adder, const struct tally_kept *kept)
{
	return !adder->recording->passes || adder->recording->passes[kept->bucket];
}

/* ---- times ----------------------------------------------------------------------- */

static int by_time(const void *a, const void *b, void *arg)
{
	const struct tally_kept *kept = arg, *x = &kept[*(const uint32_t *)a],
				*y = &kept[*(const uint32_t *)b];

	if (x->time != y->time)
		return x->time > y->time ? 1 : -1;
	return (x > y) - (x < y);
}

/* Sort the samples by time. Usually the samples are already sorted, except for a few that were
 * recorded late. */
static int order_make(struct page_adder *adder)
{
	size_t nr = adder->profile->kept.len;

	if (nr > UINT32_MAX)
		return -ENOMEM;
	adder->order = malloc(nr * sizeof(*adder->order));
	if (!adder->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		adder->order[i] = i;
	qsort_r(adder->order, nr, sizeof(*adder->order), by_time, adder->profile->kept.data);
	return 0;
}

static int times_find(struct page_adder *adder)
{
	bool is_ordered = true;
	uint64_t before = 0;

	tally_vec_for_each (kept, &adder->profile->kept) {
		if (!kept_passes(adder, kept))
			continue;
		adder->nr++;
		adder->nr_timeless += !kept->time;
		if (!kept->time)
			continue;
		is_ordered &= kept->time >= before;
		before = kept->time;
		adder->first = adder->first ? TALLY_MIN(adder->first, before) : before;
		adder->last = TALLY_MAX(adder->last, before);
	}
	return is_ordered ? 0 : order_make(adder);
}

/* Choose the time unit: a microsecond, or less if the average interval between samples is shorter.
 * The first recording with timestamps determines the unit. */
static void unit_choose(struct page_adder *adder)
{
	uint64_t gap = (adder->last - adder->first) / (adder->nr + 1);

	if (!adder->first || adder->page->unit)
		return;
	adder->page->unit = 1000;
	while (adder->page->unit > gap && adder->page->unit > 1 && adder->last > adder->first)
		adder->page->unit /= 10;
}

static uint64_t time_value(const struct page_adder *adder, uint64_t time)
{
	uint64_t unit = adder->page->unit;

	return unit && time > adder->first ? TALLY_MIN((time - adder->first) / unit, TIME_MAX) : 0;
}

/* ---- properties of samples --------------------------------------------------------- */

static int adder_step(struct page_adder *adder, uint32_t frame, uint32_t *node)
{
	return page_node(adder->page, *node, tally_html_frame(adder->page, frame), node);
}

static int adder_node(struct page_adder *adder, uint32_t bucket, uint32_t *ret_node)
{
	const struct tally_bucket_key *key = &adder->profile->buckets.data[bucket].key;
	struct tally_stack callers = tally_stacks_get(&adder->profile->stacks, key->callers);
	uint32_t node = 0;
	int ret = 0;

	if (!adder->nodes[bucket]) {
		for (uint32_t i = callers.nr; i > 0 && !ret; i--)
			ret = adder_step(adder, callers.frames[i - 1], &node);
		if (!ret)
			ret = adder_step(adder, tally_bucket_leaf(key), &node);
		if (ret)
			return ret;
		adder->nodes[bucket] = node + 1;
	}
	*ret_node = adder->nodes[bucket] - 1;
	return 0;
}

static int adder_thread(struct page_adder *adder, const struct tally_bucket_key *key,
			uint32_t *ret_thread)
{
	uint64_t at = (uint64_t)key->thread << 32 | key->comm,
		 known = tally_map_get(&adder->threads, at);
	const struct tally_machine *machine = adder->profile->machine;
	int ret;

	*ret_thread = (uint32_t)known;
	if (known != TALLY_MAP_NONE)
		return 0;
	ret = page_thread(adder->page, machine, tally_machine_thread_at(machine, key->thread),
			  key->comm, ret_thread);
	return ret ? ret : tally_map_set(&adder->threads, at, *ret_thread);
}

/* ---- events ------------------------------------------------------------------------ */

/* Add an event. `seen` counts events by name because a recording may have several events with the
 * same name. */
static int event_add(struct page_adder *adder, uint32_t number, struct tally_map *seen)
{
	const struct tally_html_event *event = &adder->recording->events[number];
	struct page_event words = {.is_time = event->is_time};
	uint64_t which;
	int ret = page_string(adder->page, event->name, &words.name);

	if (ret)
		return ret;
	which = tally_map_get(seen, words.name);
	words.which = which == TALLY_MAP_NONE ? 0 : (uint32_t)which;
	ret = tally_map_set(seen, words.name, words.which + 1);
	if (!ret)
		ret = page_event(adder->page, &words, &adder->events[number]);
	adder->events[number] += !ret;
	return ret;
}

/* Add the events that have samples. */
static int events_add(struct page_adder *adder)
{
	struct tally_map seen = {0};
	int ret = 0;

	for (uint32_t i = 0; i < adder->profile->totals.len && !ret; i++) {
		if (adder->profile->totals.data[i].nr && i < adder->recording->nr_events)
			ret = event_add(adder, i, &seen);
	}
	tally_map_free(&seen);
	return ret;
}

/* ---- samples ------------------------------------------------------------------------- */

static int sample_add(struct page_adder *adder, const struct tally_kept *kept)
{
	const struct tally_bucket_key *key = &adder->profile->buckets.data[kept->bucket].key;
	uint64_t weight = tally_kept_weight(adder->profile, kept);
	struct page_column *columns = adder->page->columns;
	uint32_t node, thread;
	int ret = adder_node(adder, kept->bucket, &node);

	if (!ret)
		ret = adder_thread(adder, key, &thread);
	if (ret)
		return ret;
	/* A sample without a timestamp gets the previous sample's timestamp. */
	if (kept->time)
		adder->time = time_value(adder, kept->time);
	page_column_add(columns, PAGE_SAMPLE_RECORDING, adder->page->recordings.len);
	page_column_add(columns, PAGE_SAMPLE_TIME, adder->time);
	page_column_add(columns, PAGE_SAMPLE_NODE, node);
	page_column_add(columns, PAGE_SAMPLE_THREAD, thread);
	page_column_add(columns, PAGE_SAMPLE_CPU, (uint32_t)(key->cpu + 1));
	page_column_add(columns, PAGE_SAMPLE_EVENT, TALLY_MAX(adder->events[key->event], 1) - 1);
	page_column_add(columns, PAGE_SAMPLE_WEIGHT, weight);
	adder->page->nr_cut_weights += weight > PAGE_VALUE_MAX;
	return 0;
}

static int samples_add(struct page_adder *adder)
{
	const struct tally_html_options *options = &adder->page->options;
	size_t nr = adder->profile->kept.len;
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		size_t at = adder->order ? adder->order[i] : i;
		const struct tally_kept *kept = &adder->profile->kept.data[at];

		if (options->at && i % AT_EVERY == 0)
			ret = options->at(options->arg, i, nr);
		if (!ret && kept_passes(adder, kept))
			ret = sample_add(adder, kept);
	}
	return ret;
}

static void losses_add(struct page_adder *adder)
{
	struct page_column *columns = adder->page->columns;

	for (size_t i = 0; i < adder->recording->nr_losses && adder->first; i++) {
		const struct tally_html_loss *loss = &adder->recording->losses[i];

		page_column_add(columns, PAGE_LOSS_RECORDING, adder->page->recordings.len);
		page_column_add(columns, PAGE_LOSS_TIME, time_value(adder, loss->time));
		page_column_add(columns, PAGE_LOSS_CPU, (uint32_t)(loss->cpu + 1));
		page_column_add(columns, PAGE_LOSS_COUNT, loss->nr);
	}
}

static int recording_add(struct page_adder *adder)
{
	const struct tally_html_recording *from = adder->recording;
	struct page_recording made = {
		.name = strdup(from->name),
		.origin = adder->first,
		.samples = adder->nr,
		.header = strdup(from->header ? from->header : ""),
		.health = strdup(from->health ? from->health : ""),
	};

	if (made.name && made.header && made.health &&
	    !tally_vec_push(&adder->page->recordings, made))
		return 0;
	free(made.name);
	free(made.header);
	free(made.health);
	return -ENOMEM;
}

static int adder_run(struct page_adder *adder)
{
	const struct tally_profile *profile = adder->profile;
	int ret;

	adder->nodes = calloc(profile->buckets.len + 1, sizeof(*adder->nodes));
	adder->events = calloc(profile->totals.len + 1, sizeof(*adder->events));
	if (!adder->nodes || !adder->events)
		return -ENOMEM;
	ret = times_find(adder);
	unit_choose(adder);
	if (!ret)
		ret = events_add(adder);
	if (!ret)
		ret = page_frames(adder->page, adder->recording);
	if (!ret)
		ret = samples_add(adder);
	if (ret)
		return ret;
	losses_add(adder);
	if (adder->page->unit && (adder->last - adder->first) / adder->page->unit > TIME_MAX)
		tally_html_add_note(adder->page,
				    "%s: the timestamps differ by too much; late samples are "
				    "shown at an earlier time",
				    adder->recording->name);
	if (adder->first && adder->nr_timeless)
		tally_html_add_note(
			adder->page,
			"%s: %llu sample%s without a timestamp: shown at the time of the "
			"previous sample, or at the start of the recording",
			adder->recording->name, (unsigned long long)adder->nr_timeless,
			tally_plural(adder->nr_timeless));
	return recording_add(adder);
}

int tally_html_add(struct tally_html *page, const struct tally_html_recording *recording)
{
	struct page_adder adder = {
		.page = page, .recording = recording, .profile = recording->profile};
	int ret = adder_run(&adder);

	free(adder.nodes);
	free(page->last_events);
	page->last_events = adder.events;
	free(adder.order);
	tally_map_free(&adder.threads);
	return ret;
}
