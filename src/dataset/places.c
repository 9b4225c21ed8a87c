/* SPDX-License-Identifier: BSD-2-Clause */
#include "dataset/places.h"

#include <errno.h>

#include "base/hash.h"
#include "profile/process/callchain.h"

/* ---- frames ---------------------------------------------------------------------- */

/* Return an address that does not depend on where the code was in memory, if that is known. The
 * kernel and its modules are at other addresses after each boot. */
static uint64_t address_of(const struct tally_location *where)
{
	uint64_t start;

	if (where->dso && where->cpumode == PERF_RECORD_MISC_KERNEL &&
	    tally_dso_address(where->dso, &start))
		return where->addr - start;
	return where->addr;
}

static uint32_t frame_hash(const struct dataset_frame *frame)
{
	return (uint32_t)tally_hash_u64(frame->addr, (uintptr_t)frame->symbol);
}

static bool frame_equal(const struct dataset_frame *a, const struct dataset_frame *b)
{
	return a->addr == b->addr && a->dso == b->dso && a->symbol == b->symbol &&
	       a->cpumode == b->cpumode && a->is_return == b->is_return;
}

/* Find or add a frame. Returns 0 or -ENOMEM. */
static int frame_find(struct dataset_places *places, const struct tally_location *where,
		      bool is_return, uint32_t *ret_number)
{
	struct dataset_frame frame = {
		.dso = where->dso,
		.symbol = where->symbol,
		.addr = where->addr,
		.address = address_of(where),
		.cpumode = where->cpumode,
		.is_return = is_return,
	};
	uint32_t hash = frame_hash(&frame), number;

	for (size_t pos = hash; tally_slots_next(&places->slots, hash, &pos, &number);) {
		if (frame_equal(&places->frames.data[number], &frame)) {
			*ret_number = number;
			return 0;
		}
	}
	number = (uint32_t)places->frames.len;
	if (tally_vec_reserve(&places->frames, places->frames.len + 1) ||
	    tally_slots_add(&places->slots, hash, number))
		return -ENOMEM;
	places->frames.data[places->frames.len++] = frame;
	*ret_number = number;
	return 0;
}

/* The meaning of location keys changes with the kernel's maps and with JIT code. */
static void check_keys(struct dataset_places *places)
{
	uint64_t space = tally_machine_kernel(places->machine)->space;
	uint64_t generation = tally_machine_generation(places->machine);

	if (places->space == space && places->generation == generation)
		return;
	places->space = space;
	places->generation = generation;
	tally_map_free(&places->frame_of[0]);
	tally_map_free(&places->frame_of[1]);
}

/* Add the frame of a location key to the list. Unmapped addresses are not kept by key, because they
 * may turn out to be in the kernel. */
static int list_add(struct dataset_places *places, const uint64_t *key, bool is_return)
{
	struct tally_map *known = &places->frame_of[is_return];
	bool is_mapped = tally_location_key_is_mapped(key) && !tally_location_key_is_odd(key);
	uint64_t found = is_mapped ? tally_map_get(known, key[0]) : TALLY_MAP_NONE;
	struct tally_location where;
	uint32_t number = (uint32_t)found;
	int ret = 0;

	if (found == TALLY_MAP_NONE) {
		(void)tally_machine_location_key_resolve(
			places->machine, tally_machine_kernel(places->machine), key, &where);
		ret = frame_find(places, &where, is_return, &number);
		check_keys(places); /* resolving may have read the kernel's symbols */
		if (!ret && is_mapped)
			ret = tally_map_set(known, key[0], number);
	}
	return ret ? ret : tally_vec_push(&places->list, number);
}

/* ---- stacks ---------------------------------------------------------------------- */

static int address_add(struct dataset_places *places, const struct tally_feed_sample *sample,
		       const struct tally_callchain_address *at)
{
	uint64_t key[TALLY_LOCATION_KEY_WORDS];

	(void)tally_machine_location_key(places->machine, sample->thread, at->cpumode, at->ip, key);
	check_keys(places);
	return list_add(places, key, at->is_return);
}

static int list_make(struct dataset_places *places, const struct tally_feed_sample *sample)
{
	struct tally_callchain_address at = {sample->sample.ip, sample->cpumode, false};
	struct tally_callchain chain = tally_callchain_start(sample);
	int ret = 0;

	places->list.len = 0;
	if (!(sample->sample.present & (PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN)))
		return 0;
	while (!ret && tally_callchain_next(&chain, &at))
		ret = address_add(places, sample, &at);
	return ret || chain.nr ? ret : address_add(places, sample, &at);
}

int dataset_places_find(struct dataset_places *places, const struct tally_feed_sample *sample,
			uint32_t *ret_stack)
{
	int ret = list_make(places, sample);
	uint32_t nr = (uint32_t)places->list.len;

	if (!ret && nr)
		return tally_stacks_find(&places->stacks, places->list.data, nr,
					 tally_stacks_hash(places->list.data, nr), ret_stack);
	if (!ret)
		*ret_stack = TALLY_STACK_NONE;
	return ret;
}

/* ---- lifetime -------------------------------------------------------------------- */

/* Some 100 MB each. */
enum { FRAMES_MANY = 1 << 20, WORDS_MANY = 1 << 24 };

bool dataset_places_are_many(const struct dataset_places *places)
{
	return places->frames.len >= FRAMES_MANY || places->stacks.words.len >= WORDS_MANY;
}

void dataset_places_clear(struct dataset_places *places)
{
	tally_vec_free(&places->frames);
	places->nr_added = 0;
	tally_slots_free(&places->slots);
	tally_map_free(&places->frame_of[0]);
	tally_map_free(&places->frame_of[1]);
	tally_stacks_free(&places->stacks);
}

void dataset_places_free(struct dataset_places *places)
{
	dataset_places_clear(places);
	tally_vec_free(&places->list);
}
