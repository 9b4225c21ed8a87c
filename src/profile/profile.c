/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/profile.h"

#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "profile/profile_private.h"

enum {
	FIRST_SLOTS = 1024,
	CHAIN_SLOTS = 1 << 15,
	CHAIN_LOG = 4 << 20,
	DEFAULT_MAX_STACK = 127,
};

int tally_profile_init(struct tally_profile *profile, struct tally_machine *machine,
		       const struct tally_profile_options *options)
{
	struct tally_profile made = {.machine = machine, .options = *options};
	int ret = 0;

	if (!made.options.max_stack)
		made.options.max_stack = DEFAULT_MAX_STACK;
	if (options->by & TALLY_BY_PATH)
		ret = tally_cache_init(&made.chains, CHAIN_SLOTS, CHAIN_LOG);
	if (ret)
		tally_profile_free(&made);
	else
		*profile = made;
	return ret;
}

void tally_profile_free(struct tally_profile *profile)
{
	tally_paths_free(&profile->paths);
	tally_vec_free(&profile->cells);
	free(profile->slots);
	tally_vec_free(&profile->totals);
	tally_cache_free(&profile->chains);
	tally_vec_free(&profile->scratch);
	tally_vec_free(&profile->frame_verdicts);
	*profile = (struct tally_profile){0};
}

static uint64_t key_hash(const struct tally_cell_key *key)
{
	uint64_t h = tally_hash_mix((uint64_t)key->path << 32 | key->frame,
				    0x9e3779b97f4a7c15ull ^ key->comm);

	return tally_hash_mix(h ^ ((uint64_t)key->thread << 32 | key->cpu),
			      0xd1b54a32d192ed03ull ^ key->event);
}

static bool key_equal(const struct tally_cell_key *a, const struct tally_cell_key *b)
{
	return a->path == b->path && a->frame == b->frame && a->comm == b->comm &&
	       a->thread == b->thread && a->cpu == b->cpu && a->event == b->event;
}

static uint32_t *cell_slot(const struct tally_profile *profile, const struct tally_cell_key *key)
{
	size_t mask = profile->nr_slots - 1, i = key_hash(key) & mask;

	while (profile->slots[i] &&
	       !key_equal(&profile->cells.data[profile->slots[i] - 1].key, key))
		i = (i + 1) & mask;
	return &profile->slots[i];
}

static int cells_grow(struct tally_profile *profile)
{
	size_t nr = profile->nr_slots ? profile->nr_slots * 2 : FIRST_SLOTS;
	uint32_t *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(profile->slots);
	profile->slots = slots;
	profile->nr_slots = nr;
	for (size_t i = 0; i < profile->cells.len; i++)
		*cell_slot(profile, &profile->cells.data[i].key) = (uint32_t)i + 1;
	return 0;
}

/* The number of the cell with this key + 1, made if new. */
static int cell_get(struct tally_profile *profile, const struct tally_cell_key *key,
		    uint32_t *ret_cell)
{
	uint32_t *slot;

	if ((profile->cells.len + 1) * 4 > profile->nr_slots * 3 && cells_grow(profile))
		return -ENOMEM;
	slot = cell_slot(profile, key);
	if (!*slot) {
		if (tally_vec_push(&profile->cells, (struct tally_cell){.key = *key}))
			return -ENOMEM;
		*slot = (uint32_t)profile->cells.len;
	}
	*ret_cell = *slot;
	return 0;
}

/* `*last` is a guess at the cell (number + 1, or 0), and becomes the right one. */
static int cell_add(struct tally_profile *profile, const struct tally_cell_key *key,
		    uint64_t weight, uint32_t *last)
{
	struct tally_cell *cell;
	int ret = 0;

	if (!*last || *last > profile->cells.len ||
	    !key_equal(&profile->cells.data[*last - 1].key, key))
		ret = cell_get(profile, key, last);
	if (ret)
		return ret;
	cell = &profile->cells.data[*last - 1];
	cell->nr++;
	cell->period += weight;
	return 0;
}

/* Events of a stream are only known as they come. */
static int totals_reach(struct tally_profile *profile, uint32_t event)
{
	int ret = 0;

	while (profile->totals.len <= event && !ret)
		ret = tally_vec_push(&profile->totals, (struct tally_profile_total){0});
	return ret;
}

int tally_profile_add(struct tally_profile *profile, uint32_t event,
		      const struct tally_thread *thread, uint8_t cpumode,
		      const struct tally_sample *sample, uint64_t weight)
{
	struct tally_profile_total *total;
	struct tally_cell_key key = {.event = event};
	struct tally_location *location =
		tally_machine_locate(profile->machine, thread, cpumode, sample->ip);
	unsigned by = profile->options.by;
	uint32_t frame, last = 0;
	int ret = tally_paths_frame(&profile->paths, location, &frame);

	if (!ret)
		ret = totals_reach(profile, event);
	if (ret)
		return ret;
	total = &profile->totals.data[event];
	total->nr++;
	total->period += weight;
	if (!profile_passes(profile, thread, frame))
		return 0;
	total->nr_shown++;
	total->period_shown += weight;
	key.comm = by & TALLY_BY_COMM ? thread->comm : 0;
	key.thread = by & TALLY_BY_THREAD ? thread->index : 0;
	key.cpu = by & TALLY_BY_CPU ? sample->cpu : 0;
	key.frame = by & TALLY_BY_FRAME ? frame : 0;
	/* Without paths, what is at an address mostly falls into the same cell again. */
	if (!(by & TALLY_BY_PATH))
		return cell_add(profile, &key, weight, &location->cell);
	if (sample->callchain.nr)
		ret = profile_chain(profile, thread, cpumode, sample->callchain, &key.path);
	return ret ? ret : cell_add(profile, &key, weight, &last);
}
