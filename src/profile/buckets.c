/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts samples in buckets. Finding a bucket takes two look-ups in large tables, each of which
 * means waiting for memory, so each look-up is preceded by a step that prefetches the memory.
 */
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "profile/buckets.h"

/* Hash a key. Indexes start at 0, and many of them are 0. No factor of a product may be 0, because
 * the other factor would then be lost. */
static uint32_t key_hash(const struct tally_bucket_key *key)
{
	uint64_t h =
		tally_hash_mix(((uint64_t)key->callers << 32 | key->leaf) ^ 0xe7037ed1a0b428dbull,
			       ((uint64_t)key->frame << 32 | key->comm) ^ 0x9e3779b97f4a7c15ull);

	h = tally_hash_mix(h ^ ((uint64_t)key->thread << 32 | key->cpu), 0xa0761d6478bd642full);
	return (uint32_t)tally_hash_mix(h ^ ((uint64_t)key->label << 32 | key->event),
					0xd1b54a32d192ed03ull);
}

static bool key_equal(const struct tally_bucket_key *a, const struct tally_bucket_key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static int bucket_new(struct tally_profile *profile, const struct tally_bucket_key *key,
		      uint32_t hash, uint32_t *ret_bucket)
{
	uint32_t number = (uint32_t)profile->buckets.len;

	if (number >= INT32_MAX || tally_vec_reserve(&profile->buckets, (size_t)number + 1) ||
	    tally_slots_add(&profile->slots, hash, number))
		return -ENOMEM;
	profile->buckets.data[profile->buckets.len++] = (struct tally_bucket){.key = *key};
	*ret_bucket = number;
	return 0;
}

static int bucket_find(struct tally_profile *profile, const struct tally_bucket_key *key,
		       uint32_t hash, uint32_t *ret_bucket)
{
	uint32_t number;

	for (size_t pos = hash; tally_slots_next(&profile->slots, hash, &pos, &number);) {
		if (key_equal(&profile->buckets.data[number].key, key)) {
			*ret_bucket = number;
			return 0;
		}
	}
	return bucket_new(profile, key, hash, ret_bucket);
}

void profile_bucket_prefetch_slot(const struct tally_profile *profile,
				  struct tally_gathered *sample)
{
	sample->key_hash = key_hash(&sample->key);
	tally_slots_prefetch(&profile->slots, sample->key_hash);
}

void profile_bucket_prefetch(const struct tally_profile *profile,
			     const struct tally_gathered *sample)
{
	size_t pos = sample->key_hash;
	uint32_t number;

	if (tally_slots_next(&profile->slots, sample->key_hash, &pos, &number)) {
		const struct tally_bucket *bucket = &profile->buckets.data[number];

		__builtin_prefetch(bucket);
		__builtin_prefetch(&bucket->period);
	}
}

/* Remember the bucket of a sample for the second pass. */
static int sample_note(struct tally_profile *profile, uint64_t number, uint32_t bucket)
{
	while (profile->bucket_of.len <= number) {
		if (tally_vec_push(&profile->bucket_of, TALLY_BUCKET_NONE))
			return -ENOMEM;
	}
	profile->bucket_of.data[number] = bucket;
	return 0;
}

static int sample_keep(struct tally_profile *profile, const struct tally_gathered *sample,
		       uint32_t bucket)
{
	bool is_heavy = sample->weight >= UINT32_MAX;
	struct tally_kept kept = {sample->time, bucket,
				  is_heavy ? UINT32_MAX : (uint32_t)sample->weight,
				  (uint32_t)TALLY_MIN(sample->number, (uint64_t)UINT32_MAX)};
	int ret = is_heavy ? tally_map_set(&profile->heavy, profile->kept.len, sample->weight) : 0;

	return ret ? ret : tally_vec_push(&profile->kept, kept);
}

int profile_bucket_count(struct tally_profile *profile, const struct tally_gathered *sample)
{
	struct tally_bucket *bucket;
	uint32_t found;
	int ret = bucket_find(profile, &sample->key, sample->key_hash, &found);

	if (ret)
		return ret;
	bucket = &profile->buckets.data[found];
	bucket->nr++;
	tally_sum_add(&bucket->period, sample->weight);
	if (profile->options.second_pass && !profile->in_second_pass)
		ret = sample_note(profile, sample->number, found);
	return ret ? ret : profile->options.keeps_samples ? sample_keep(profile, sample, found) : 0;
}

int profile_buckets_index(struct tally_profile *profile)
{
	int ret = 0;

	tally_slots_free(&profile->slots);
	for (uint32_t i = 0; i < profile->buckets.len && !ret; i++)
		ret = tally_slots_add(&profile->slots, key_hash(&profile->buckets.data[i].key), i);
	return ret;
}
