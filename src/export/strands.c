/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/map.h"
#include "export/model.h"

/* Find a bucket's strand, or add it. */
static int strand_find(struct tally_export_strands *strands, struct tally_map *known,
		       const struct tally_bucket_key *key, uint32_t bucket, uint32_t *ret_strand)
{
	uint64_t id = (uint64_t)key->thread << 32 | key->comm, found = tally_map_get(known, id);
	int ret = 0;

	if (found == TALLY_MAP_NONE) {
		found = strands->all.len;
		ret = tally_vec_push(&strands->all,
				     (struct tally_export_thread_samples){.bucket = bucket});
		if (!ret)
			ret = tally_map_set(known, id, found);
	}
	*ret_strand = (uint32_t)found;
	return ret;
}

/* Count the samples in each strand, and set the strand of each bucket, or UINT32_MAX if the bucket
 * belongs to another event. */
static int strands_count(const struct tally_profile *profile, uint32_t event,
			 struct tally_export_strands *strands, uint32_t *strand_of)
{
	struct tally_map known = {0};
	int ret = 0;

	for (size_t i = 0; i < profile->buckets.len; i++)
		strand_of[i] = UINT32_MAX;
	tally_vec_for_each (kept, &profile->kept) {
		const struct tally_bucket_key *key = &profile->buckets.data[kept->bucket].key;
		uint32_t *strand = &strand_of[kept->bucket];

		if (key->event != event)
			continue;
		if (*strand == UINT32_MAX)
			ret = strand_find(strands, &known, key, kept->bucket, strand);
		if (ret)
			break;
		strands->all.data[*strand].nr++;
		if (!kept->time)
			continue;
		strands->first = TALLY_MIN(strands->first ? strands->first : kept->time,
					   (uint64_t)kept->time);
		strands->last = TALLY_MAX(strands->last, (uint64_t)kept->time);
	}
	tally_map_free(&known);
	return ret;
}

static void strands_fill(const struct tally_profile *profile, struct tally_export_strands *strands,
			 const uint32_t *strand_of)
{
	uint32_t first = 0;

	tally_vec_for_each (strand, &strands->all) {
		strand->first = first;
		first += strand->nr;
		strand->nr = 0;
	}
	for (uint32_t i = 0; i < profile->kept.len; i++) {
		uint32_t number = strand_of[profile->kept.data[i].bucket];
		struct tally_export_thread_samples *strand;

		if (number == UINT32_MAX)
			continue;
		strand = &strands->all.data[number];
		strands->samples[strand->first + strand->nr++] = i;
	}
}

int tally_export_strands_build(const struct tally_profile *profile, uint32_t event,
			       struct tally_export_strands *ret_strands)
{
	struct tally_export_strands strands = {
		.samples = malloc((profile->kept.len + 1) * sizeof(*strands.samples)),
	};
	uint32_t *strand_of = malloc((profile->buckets.len + 1) * sizeof(*strand_of));
	int ret = strands.samples && strand_of ? 0 : -ENOMEM;

	if (!ret && profile->kept.len >= UINT32_MAX)
		ret = -E2BIG;
	if (!ret)
		ret = strands_count(profile, event, &strands, strand_of);
	if (!ret)
		strands_fill(profile, &strands, strand_of);
	free(strand_of);
	if (ret)
		tally_export_strands_free(&strands);
	else
		*ret_strands = strands;
	return ret;
}

void tally_export_strands_free(struct tally_export_strands *strands)
{
	tally_vec_free(&strands->all);
	free(strands->samples);
	*strands = (struct tally_export_strands){0};
}
