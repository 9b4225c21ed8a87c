/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples into cells. Which cell it is takes two look-ups in large tables, each a wait for memory.
 * So samples stay pending for a while, and every new one pushes those before it a step on, which
 * asks for the memory that the next step needs.
 */
#include <string.h>

#include "base/hash.h"
#include "profile/profile_private.h"

static uint32_t key_hash(const struct tally_cell_key *key)
{
	uint64_t h = tally_hash_mix((uint64_t)key->callers << 32 | key->leaf,
				    0x9e3779b97f4a7c15ull ^ key->comm);

	h = tally_hash_mix(h ^ key->frame, 0xa0761d6478bd642full);
	return (uint32_t)tally_hash_mix(h ^ ((uint64_t)key->thread << 32 | key->cpu),
					0xd1b54a32d192ed03ull ^ key->event);
}

static bool key_equal(const struct tally_cell_key *a, const struct tally_cell_key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static int cell_new(struct tally_profile *profile, const struct tally_cell_key *key, uint32_t hash,
		    uint32_t *ret_cell)
{
	uint32_t number = (uint32_t)profile->cells.len;

	if (number >= INT32_MAX || tally_vec_reserve(&profile->cells, (size_t)number + 1) ||
	    tally_slots_add(&profile->slots, hash, number))
		return -ENOMEM;
	profile->cells.data[profile->cells.len++] = (struct tally_cell){.key = *key};
	*ret_cell = number;
	return 0;
}

static int cell_find(struct tally_profile *profile, const struct tally_cell_key *key, uint32_t hash,
		     uint32_t *ret_cell)
{
	uint32_t number;

	for (size_t pos = hash; tally_slots_next(&profile->slots, hash, &pos, &number);) {
		if (key_equal(&profile->cells.data[number].key, key)) {
			*ret_cell = number;
			return 0;
		}
	}
	return cell_new(profile, key, hash, ret_cell);
}

static int cell_count(struct tally_profile *profile, const struct tally_pending *add)
{
	struct tally_cell *cell;
	uint32_t found;
	int ret = cell_find(profile, &add->key, add->hash, &found);

	if (ret)
		return ret;
	cell = &profile->cells.data[found];
	cell->nr++;
	cell->period += add->weight;
	if (profile->cell_of.len && !profile->is_recalling)
		profile->cell_of.data[add->number] = found;
	return 0;
}

int profile_cells_index(struct tally_profile *profile)
{
	int ret = 0;

	tally_slots_free(&profile->slots);
	for (uint32_t i = 0; i < profile->cells.len && !ret; i++)
		ret = tally_slots_add(&profile->slots, key_hash(&profile->cells.data[i].key), i);
	return ret;
}

/* ---- pending ------------------------------------------------------------- */

static struct tally_pending *pending_at(struct tally_profile *profile, uint64_t number)
{
	return &profile->pending[number % TALLY_PENDING];
}

/* The slot has come: ask for the cell that it is likely to be. */
static void step_cell(const struct tally_profile *profile, uint32_t hash)
{
	size_t pos = hash;
	uint32_t number;

	if (tally_slots_next(&profile->slots, hash, &pos, &number)) {
		const struct tally_cell *cell = &profile->cells.data[number];

		__builtin_prefetch(cell);
		__builtin_prefetch(&cell->period);
	}
}

/* Push pending samples on that are `STEP` and twice as old as number `newest`; the oldest are
 * counted. */
static int pending_step(struct tally_profile *profile, uint64_t newest)
{
	enum { STEP = TALLY_PENDING / 2 };
	uint64_t first = profile->nr_counted, last = profile->nr_pending;
	int ret = 0;

	if (newest >= first + STEP && newest - STEP < last)
		step_cell(profile, pending_at(profile, newest - STEP)->hash);
	if (newest + 1 >= first + 2 * STEP) {
		ret = cell_count(profile, pending_at(profile, first));
		profile->nr_counted++;
	}
	return ret;
}

int profile_cell_add(struct tally_profile *profile, const struct tally_gathered *sample)
{
	uint64_t number = profile->nr_pending++;
	uint32_t hash = key_hash(&sample->key);

	*pending_at(profile, number) = (struct tally_pending){
		.key = sample->key,
		.hash = hash,
		.weight = sample->weight,
		.number = sample->number,
	};
	tally_slots_fetch(&profile->slots, hash);
	return pending_step(profile, number);
}

int profile_cells_settle(struct tally_profile *profile)
{
	int ret = 0;

	for (; profile->nr_counted < profile->nr_pending && !ret; profile->nr_counted++)
		ret = cell_count(profile, pending_at(profile, profile->nr_counted));
	return ret;
}
