/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

enum { FIRST_SLOTS = 16 };

static size_t map_home(const struct tally_map *map, uint64_t key)
{
	return tally_hash_u64(key, map->seed) & map->mask;
}

/* Return the slot of `key`, or the empty slot for it. */
static struct tally_map_slot *map_find(const struct tally_map *map, uint64_t key)
{
	size_t i = map_home(map, key);

	while (map->slots[i].value != TALLY_MAP_NONE && map->slots[i].key != key)
		i = (i + 1) & map->mask;
	return &map->slots[i];
}

uint64_t tally_map_get(const struct tally_map *map, uint64_t key)
{
	return map->slots ? map_find(map, key)->value : TALLY_MAP_NONE;
}

static int map_resize(struct tally_map *map, size_t nr_slots)
{
	struct tally_map old = *map;
	const struct tally_map_slot *slot;
	size_t pos = 0;

	map->slots = malloc(nr_slots * sizeof(*map->slots));
	if (!map->slots) {
		*map = old;
		return -ENOMEM;
	}
	map->mask = nr_slots - 1;
	map->seed = tally_hash_u64((uintptr_t)map->slots, (uintptr_t)map);
	for (size_t i = 0; i < nr_slots; i++)
		map->slots[i] = (struct tally_map_slot){0, TALLY_MAP_NONE};
	while ((slot = tally_map_next(&old, &pos)))
		*map_find(map, slot->key) = *slot;
	free(old.slots);
	return 0;
}

int tally_map_set(struct tally_map *map, uint64_t key, uint64_t value)
{
	struct tally_map_slot *slot;
	int ret;

	/* Keep the table at most three quarters full, so that probe sequences stay short. */
	if (!map->slots || (map->len + 1) * 4 > (map->mask + 1) * 3) {
		ret = map_resize(map, map->slots ? (map->mask + 1) * 2 : FIRST_SLOTS);
		if (ret)
			return ret;
	}
	slot = map_find(map, key);
	map->len += slot->value == TALLY_MAP_NONE;
	*slot = (struct tally_map_slot){key, value};
	return 0;
}

uint64_t tally_map_remove(struct tally_map *map, uint64_t key)
{
	struct tally_map_slot *hole;
	uint64_t value;
	size_t i;

	if (!map->slots)
		return TALLY_MAP_NONE;
	hole = map_find(map, key);
	value = hole->value;
	if (value == TALLY_MAP_NONE)
		return value;
	/* Close the gap: move later entries of the probe sequence back into the hole if lookups
	 * would still find them there. */
	i = (size_t)(hole - map->slots);
	for (;;) {
		i = (i + 1) & map->mask;
		if (map->slots[i].value == TALLY_MAP_NONE)
			break;
		size_t home = map_home(map, map->slots[i].key);
		size_t at = (size_t)(hole - map->slots);

		if (((i - home) & map->mask) >= ((i - at) & map->mask)) {
			*hole = map->slots[i];
			hole = &map->slots[i];
		}
	}
	hole->value = TALLY_MAP_NONE;
	map->len--;
	return value;
}

const struct tally_map_slot *tally_map_next(const struct tally_map *map, size_t *pos)
{
	while (map->slots && *pos <= map->mask) {
		const struct tally_map_slot *slot = &map->slots[(*pos)++];

		if (slot->value != TALLY_MAP_NONE)
			return slot;
	}
	return NULL;
}

void tally_map_free(struct tally_map *map)
{
	free(map->slots);
	*map = (struct tally_map){0};
}
