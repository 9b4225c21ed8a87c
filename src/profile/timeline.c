/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/timeline.h"

#include <string.h>

#include "base/arith.h"
#include "base/map.h"

enum { NO_STRIP = UINT32_MAX };

struct timeline_builder {
	const struct tally_profile *profile;
	const struct tally_timeline_options *options;
	struct tally_timeline *timeline;
	struct tally_map by_id; /* maps a thread or CPU to its track */
	uint32_t *places;       /* track of each bucket, or NO_STRIP */
	uint32_t *ranks;        /* rank of each track by weight */
};

static bool bucket_counts(const struct timeline_builder *builder, uint32_t i)
{
	const struct tally_timeline_options *options = builder->options;
	const struct tally_bucket *bucket = &builder->profile->buckets.data[i];

	return bucket->key.event == options->event && bucket->nr &&
	       (!options->passes || options->passes[i]);
}

static int strip_find(struct timeline_builder *builder, uint32_t id, uint32_t *ret_strip)
{
	uint64_t known = tally_map_get(&builder->by_id, id);
	int ret = 0;

	if (known == TALLY_MAP_NONE) {
		known = builder->timeline->strips.len;
		ret = tally_vec_push(&builder->timeline->strips, (struct tally_track){.id = id});
		if (!ret)
			ret = tally_map_set(&builder->by_id, id, known);
	}
	*ret_strip = (uint32_t)known;
	return ret;
}

/* Assign each bucket to a track, and sum up each track's weight. */
static int strips_make(struct timeline_builder *builder)
{
	const struct tally_profile *profile = builder->profile;
	int ret = 0;

	for (uint32_t i = 0; i < profile->buckets.len && !ret; i++) {
		const struct tally_bucket *bucket = &profile->buckets.data[i];
		struct tally_track *strip;

		builder->places[i] = NO_STRIP;
		if (!bucket_counts(builder, i))
			continue;
		ret = strip_find(builder,
				 builder->options->by_cpu ? bucket->key.cpu : bucket->key.thread,
				 &builder->places[i]);
		if (ret)
			break;
		strip = &builder->timeline->strips.data[builder->places[i]];
		tally_sum_add(&strip->period, bucket->period);
		strip->nr += bucket->nr;
	}
	return ret;
}

static int by_weight(const void *a, const void *b, void *arg)
{
	const struct tally_track *strips = arg, *x = &strips[*(const uint32_t *)a],
				 *y = &strips[*(const uint32_t *)b];

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Sort the tracks by weight. */
static int strips_sort(struct timeline_builder *builder)
{
	struct tally_timeline *timeline = builder->timeline;
	size_t nr = timeline->strips.len;
	uint32_t *order = malloc((nr + 1) * sizeof(*order));
	struct tally_track *sorted = malloc((nr + 1) * sizeof(*sorted));

	builder->ranks = malloc((nr + 1) * sizeof(*builder->ranks));
	if (!order || !sorted || !builder->ranks) {
		free(order);
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	if (nr)
		qsort_r(order, nr, sizeof(*order), by_weight, timeline->strips.data);
	for (uint32_t i = 0; i < nr; i++) {
		sorted[i] = timeline->strips.data[order[i]];
		builder->ranks[order[i]] = i;
	}
	free(order);
	free(timeline->strips.data);
	timeline->strips.data = sorted;
	timeline->strips.cap = nr + 1;
	return 0;
}

/* Find the time range of all the event's samples. Samples that are filtered out are included, so
 * that the range does not change with the filters. */
static void span_find(struct timeline_builder *builder)
{
	struct tally_timeline *timeline = builder->timeline;
	const struct tally_bucket *buckets = builder->profile->buckets.data;

	tally_vec_for_each (kept, &builder->profile->kept) {
		if (buckets[kept->bucket].key.event != builder->options->event)
			continue;
		timeline->timeless += !kept->time;
		if (!kept->time)
			continue;
		if (!timeline->first || kept->time < timeline->first)
			timeline->first = kept->time;
		timeline->last = TALLY_MAX(timeline->last, kept->time);
	}
}

static uint64_t share_of(uint64_t part, uint64_t whole, uint64_t nr)
{
	return (uint64_t)((unsigned __int128)part * nr / whole);
}

uint64_t tally_timeline_bin_start(const struct tally_timeline *timeline, uint32_t nr_bins,
				  uint32_t bin)
{
	uint64_t span = timeline->last - timeline->first + 1, at;

	/* Round up to the first timestamp in the bin. */
	at = (uint64_t)(((unsigned __int128)span * bin + nr_bins - 1) / nr_bins);
	return timeline->first + at;
}

static void bins_fill(struct timeline_builder *builder)
{
	const struct tally_timeline_options *options = builder->options;
	struct tally_timeline *timeline = builder->timeline;
	uint64_t span = timeline->last - timeline->first + 1;

	tally_vec_for_each (kept, &builder->profile->kept) {
		uint32_t place = builder->places[kept->bucket], rank;
		uint64_t *bin;

		if (place == NO_STRIP || !kept->time)
			continue;
		rank = builder->ranks[place];
		if (rank < options->first || rank - options->first >= options->most)
			continue;
		bin = &timeline->bins[(size_t)(rank - options->first) * options->nr_bins +
				      share_of(kept->time - timeline->first, span,
					       options->nr_bins)];
		*bin += tally_kept_weight(builder->profile, kept);
		timeline->highest = TALLY_MAX(timeline->highest, *bin);
	}
}

static int timeline_fill(struct timeline_builder *builder)
{
	const struct tally_timeline_options *options = builder->options;
	size_t nr = builder->profile->buckets.len, room = (size_t)options->most * options->nr_bins;
	int ret;

	builder->places = malloc((nr + 1) * sizeof(*builder->places));
	builder->timeline->bins = calloc(room + 1, sizeof(*builder->timeline->bins));
	if (!builder->places || !builder->timeline->bins)
		return -ENOMEM;
	ret = strips_make(builder);
	if (!ret)
		ret = strips_sort(builder);
	if (ret)
		return ret;
	span_find(builder);
	bins_fill(builder);
	return 0;
}

int tally_timeline_build(const struct tally_profile *profile,
			 const struct tally_timeline_options *options,
			 struct tally_timeline *ret_timeline)
{
	struct tally_timeline timeline = {0};
	struct timeline_builder builder = {
		.profile = profile, .options = options, .timeline = &timeline};
	int ret = timeline_fill(&builder);

	tally_map_free(&builder.by_id);
	free(builder.places);
	free(builder.ranks);
	if (ret)
		tally_timeline_free(&timeline);
	else
		*ret_timeline = timeline;
	return ret;
}

void tally_timeline_free(struct tally_timeline *timeline)
{
	tally_vec_free(&timeline->strips);
	free(timeline->bins);
	*timeline = (struct tally_timeline){0};
}
