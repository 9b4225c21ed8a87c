/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples into cells. Which cell it is takes a few look-ups in large tables, each depending on the
 * one before, and each a wait for memory. So samples stay pending for a while, and every new one
 * pushes those before it a step on, which asks for the memory that the next step needs.
 */
#include "base/hash.h"
#include "profile/profile_private.h"

static uint32_t key_hash(const struct tally_cell_key *key)
{
	uint64_t h = tally_hash_mix((uint64_t)key->path << 32 | key->frame,
				    0x9e3779b97f4a7c15ull ^ key->comm);

	return (uint32_t)tally_hash_mix(h ^ ((uint64_t)key->thread << 32 | key->cpu),
					0xd1b54a32d192ed03ull ^ key->event);
}

static bool key_equal(const struct tally_cell_key *a, const struct tally_cell_key *b)
{
	return a->path == b->path && a->frame == b->frame && a->comm == b->comm &&
	       a->thread == b->thread && a->cpu == b->cpu && a->event == b->event;
}

static int cell_new(struct tally_profile *profile, const struct tally_cell_key *key,
		    uint32_t *ret_cell)
{
	if (profile->cells.len >= INT32_MAX ||
	    tally_vec_push(&profile->cells, (struct tally_cell){.key = *key}))
		return -ENOMEM;
	*ret_cell = (uint32_t)profile->cells.len - 1;
	return 0;
}

static int cell_intern(struct tally_profile *profile, const struct tally_cell_key *key,
		       uint32_t *ret_cell)
{
	uint32_t hash = key_hash(key), number;
	int ret;

	for (size_t pos = hash; tally_slots_next(&profile->slots, hash, &pos, &number);) {
		if (key_equal(&profile->cells.data[number].key, key)) {
			*ret_cell = number;
			return 0;
		}
	}
	ret = cell_new(profile, key, &number);
	if (!ret)
		ret = tally_slots_add(&profile->slots, hash, number);
	if (!ret)
		*ret_cell = number;
	return ret;
}

/* Where the last cell of a key's path or frame is noted. */
static size_t memo_place(const struct tally_profile *profile, const struct tally_cell_key *key)
{
	return profile_takes_callers(profile) ? key->path : key->frame;
}

static struct tally_memo *memo_of(struct tally_profile *profile, const struct tally_cell_key *key)
{
	size_t at = memo_place(profile, key);

	while (profile->memos.len <= at) {
		if (tally_vec_push(&profile->memos, (struct tally_memo){0}))
			return NULL;
	}
	return &profile->memos.data[at];
}

static int cell_count(struct tally_profile *profile, const struct tally_pending *add)
{
	const struct tally_cell_key *key = &add->key;
	struct tally_memo *memo = memo_of(profile, key);
	uint32_t found = memo ? memo->number - 1 : 0;
	struct tally_cell *cell;
	int ret = memo ? 0 : -ENOMEM;

	if (!ret && !memo->number) {
		ret = cell_new(profile, key, &found);
	} else if (!ret && !key_equal(&profile->cells.data[found].key, key)) {
		if (!memo->is_hashed)
			ret = tally_slots_add(&profile->slots,
					      key_hash(&profile->cells.data[found].key), found);
		memo->is_hashed |= !ret;
		if (!ret)
			ret = cell_intern(profile, key, &found);
	}
	if (ret)
		return ret;
	memo->number = (found + 1) & INT32_MAX;
	cell = &profile->cells.data[found];
	cell->nr++;
	cell->period += add->weight;
	if (profile->cell_of.len && !profile->is_recalling)
		profile->cell_of.data[add->sample] = found;
	return 0;
}

int profile_cell_note(struct tally_profile *profile, uint32_t cell)
{
	const struct tally_cell_key *key = &profile->cells.data[cell].key;
	struct tally_memo *memo = memo_of(profile, key);
	int ret = memo ? 0 : -ENOMEM;

	if (!ret && memo->number && !memo->is_hashed)
		ret = tally_slots_add(&profile->slots,
				      key_hash(&profile->cells.data[memo->number - 1].key),
				      memo->number - 1);
	if (!ret && memo->number) {
		memo->is_hashed = 1;
		ret = tally_slots_add(&profile->slots, key_hash(key), cell);
	}
	if (!ret)
		memo->number = (cell + 1) & INT32_MAX;
	return ret;
}

/* ---- pending ------------------------------------------------------------- */

static struct tally_pending *pending_at(struct tally_profile *profile, uint64_t number)
{
	return &profile->pending[number % TALLY_PENDING];
}

/* The path found last of the innermost frame is a good guess at what this one's will be. */
static uint32_t path_guess(const struct tally_profile *profile, const struct tally_pending *add)
{
	return add->has_leaf ? profile->paths.callers.data[add->leaf].number : add->key.path;
}

static void step_path(const struct tally_profile *profile, const struct tally_pending *add)
{
	uint32_t path = path_guess(profile, add);

	if (path < profile->paths.paths.len)
		__builtin_prefetch(&profile->paths.paths.data[path]);
	if (path < profile->memos.len)
		__builtin_prefetch(&profile->memos.data[path]);
}

static int step_memo(struct tally_profile *profile, struct tally_pending *add)
{
	size_t at;
	int ret = 0;

	if (add->has_leaf)
		ret = tally_paths_child(&profile->paths, add->key.path, add->leaf, &add->key.path);
	add->has_leaf = false;
	at = memo_place(profile, &add->key);
	if (!ret && at < profile->memos.len && profile->memos.data[at].number) {
		const struct tally_cell *cell =
			&profile->cells.data[profile->memos.data[at].number - 1];

		__builtin_prefetch(cell);
		__builtin_prefetch(&cell->period);
	}
	return ret;
}

/* Push pending samples on that are `STEP`, twice and three times as old as number `newest`; the
 * oldest are counted. */
static int pending_step(struct tally_profile *profile, uint64_t newest)
{
	enum { STEP = TALLY_PENDING / 4 };
	uint64_t first = profile->nr_counted, last = profile->nr_pending;
	struct tally_pending *add;
	int ret = 0;

	if (newest >= first + STEP && newest - STEP < last)
		step_path(profile, pending_at(profile, newest - STEP));
	if (newest >= first + 2 * STEP && newest - 2 * STEP < last)
		ret = step_memo(profile, pending_at(profile, newest - 2 * STEP));
	if (!ret && newest >= first + 3 * STEP) {
		add = pending_at(profile, first);
		ret = cell_count(profile, add);
		profile->nr_counted++;
	}
	return ret;
}

int profile_cell_add(struct tally_profile *profile, const struct tally_pending *add)
{
	uint64_t number = profile->nr_pending;

	*pending_at(profile, number) = *add;
	profile->nr_pending++;
	if (add->has_leaf)
		__builtin_prefetch(&profile->paths.callers.data[add->leaf]);
	else if (memo_place(profile, &add->key) < profile->memos.len)
		__builtin_prefetch(&profile->memos.data[memo_place(profile, &add->key)]);
	return pending_step(profile, number);
}

int profile_cells_settle(struct tally_profile *profile)
{
	uint64_t newest = profile->nr_pending;
	int ret = 0;

	for (; profile->nr_counted < profile->nr_pending && !ret; newest++)
		ret = pending_step(profile, newest);
	return ret;
}
