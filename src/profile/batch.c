/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Resolves batches of gathered samples to addresses, frames, stacks and buckets. Each of these is
 * looked up in a large table, which means waiting for memory. The work is therefore done in several
 * passes over the samples, each of which prefetches the memory that the next pass needs.
 */
#include "base/arith.h"
#include "profile/buckets.h"
#include "profile/chain.h"

/* Add a sample that passes the filter to the totals. Called in the first pass over the
 * recording. */
static void sample_sum(struct tally_profile *profile, const struct tally_gathered *from)
{
	struct tally_profile_total *total = &profile->totals.data[from->key.event];
	struct tally_profile_stats *stats = &profile->stats;

	total->nr_shown++;
	tally_sum_add(&total->period_shown, from->weight);
	if (from->time && (!total->first || from->time < total->first))
		total->first = from->time;
	total->last = TALLY_MAX(total->last, from->time);
	stats->chains += from->has_chain;
	stats->cut_chains += from->is_cut;
	stats->leaf_only += from->leaf_only;
	stats->bad_chains += from->has_leaf && from->is_bad;
}

/* Remove a sample of an idle CPU from the totals of all samples. */
static void sample_uncount(struct tally_profile *profile, const struct tally_gathered *from)
{
	struct tally_profile_total *total = &profile->totals.data[from->key.event];

	total->nr -= TALLY_MIN(total->nr, (uint64_t)1);
	total->period -= TALLY_MIN(total->period, from->weight);
}

/* Prefetch the frames of addresses that are missing from the address cache. Such addresses may
 * already have frames. */
static void sample_prefetch_frames(const struct tally_profile *profile,
				   const struct tally_gathered *sample)
{
	const uint64_t *location_keys = profile->batch->location_keys.data;
	size_t end = sample->is_new ? sample->end : sample->callers;

	for (size_t i = sample->first; i < end; i++) {
		if (profile_address(profile, location_keys[i])->location_key != location_keys[i])
			tally_frames_prefetch(&profile->frames,
					      profile_location_key_hash(location_keys[i]));
	}
}

/* Resolve a sample's addresses. Returns 0 or -ENOMEM. */
static int sample_resolve(struct tally_profile *profile, struct tally_gathered *sample,
			  bool filters)
{
	const uint64_t *location_keys = profile->batch->location_keys.data;
	size_t at = sample->first;
	uint32_t frame;
	int ret = profile_frame(profile, location_keys, &at, &frame);

	if (ret)
		return ret;
	if (filters && !profile_passes(profile, sample->comm, frame)) {
		if (profile->options.is_absolute && profile_is_idle(profile, frame))
			sample_uncount(profile, sample);
		return 0;
	}
	sample->passes = true;
	if (profile->options.by & TALLY_BY_FRAME)
		sample->key.frame = frame;
	if (!sample->has_callers)
		return 0;
	ret = profile_frame(profile, location_keys, &at, &frame);
	sample->key.leaf = frame + 1;
	return ret || !sample->is_new ? ret : profile_callers_frames(profile, sample);
}

/* Complete a sample's key after its addresses have been resolved. Return 0 or -ENOMEM. */
static int sample_key(struct tally_profile *profile, struct tally_gathered *sample)
{
	int ret = 0;

	if (!sample->passes)
		return 0;
	if (!profile->in_second_pass)
		sample_sum(profile, sample);
	profile->stats.judged +=
		sample->has_callers && sample->callers_from == TALLY_CALLERS_VALIDATED;
	profile->stats.astray += sample->has_callers && sample->is_astray;
	if (sample->is_new)
		ret = profile_callers_stack(profile, sample);
	profile_bucket_prefetch_slot(profile, sample);
	return ret;
}

/* Extend the totals to include `event`. A stream's events become known only when they first
 * occur. */
static int totals_reach(struct tally_profile *profile, uint32_t event)
{
	int ret = 0;

	while (profile->totals.len <= event && !ret)
		ret = tally_vec_push(&profile->totals, (struct tally_profile_total){0});
	return ret;
}

/* Add a sample to the totals of all samples. */
static int sample_total(struct tally_profile *profile, const struct tally_gathered *sample)
{
	struct tally_profile_total *total;
	int ret = totals_reach(profile, sample->key.event);

	if (ret || profile->in_second_pass)
		return ret;
	total = &profile->totals.data[sample->key.event];
	total->nr++;
	tally_sum_add(&total->period, sample->weight);
	return 0;
}

/* In another thread, what gathering would prefetch must be prefetched here, and so must the samples
 * themselves. */
static void sample_prefetch(struct tally_profile *profile, struct tally_gathered *sample)
{
	enum { AHEAD = 3 };
	struct tally_batch *batch = profile->batch;
	size_t next = (size_t)(sample - batch->samples) + AHEAD;

	for (size_t i = 0; next < batch->nr && i < sizeof(*sample); i += TALLY_CACHE_LINE)
		__builtin_prefetch((const char *)&batch->samples[next] + i);
	profile_address_prefetch(profile, batch->location_keys.data[sample->first]);
	if (sample->end > sample->callers)
		profile_callers_prefetch(profile, sample);
}

int profile_batch_resolve(struct tally_profile *profile)
{
	struct tally_batch *batch = profile->batch;
	struct tally_gathered *end = batch->samples + batch->nr, *sample;
	bool filters = profile_filters(profile);
	int ret = 0;

	for (sample = batch->samples; sample < end && !ret; sample++) {
		ret = sample_total(profile, sample);
		if (profile->thread)
			sample_prefetch(profile, sample);
	}
	for (sample = batch->samples; sample < end; sample++) {
		/* Like perf, drop the whole chain if it contains an unknown marker. */
		sample->has_callers =
			profile_has_callers(profile) && sample->has_leaf && !sample->is_bad;
		if (sample->has_callers && sample->callers < sample->end)
			profile_callers_lookup(profile, sample);
	}
	for (sample = batch->samples; sample < end; sample++)
		sample_prefetch_frames(profile, sample);
	for (sample = batch->samples; sample < end && !ret; sample++)
		ret = sample_resolve(profile, sample, filters);
	for (sample = batch->samples; sample < end && !ret; sample++)
		ret = sample_key(profile, sample);
	for (sample = batch->samples; sample < end && !ret; sample++) {
		if (sample->passes)
			profile_bucket_prefetch(profile, sample);
	}
	for (sample = batch->samples; sample < end && !ret; sample++) {
		if (sample->passes)
			ret = profile_bucket_count(profile, sample);
	}
	batch->nr = 0;
	batch->location_keys.len = batch->frames.len = 0;
	return ret ? ret : profile_caches_grow(profile);
}

void profile_batch_free(struct tally_batch *batch)
{
	tally_vec_free(&batch->location_keys);
	tally_vec_free(&batch->frames);
}
