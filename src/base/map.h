/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash table from uint64_t to uint64_t: open addressing, linear probing, power-of-two size.
 * Values are ids, indices or pointers cast through uintptr_t. All zero is an empty map.
 * Not thread-safe. Its seed is mixed from its own address, as keys come from untrusted files.
 */
#ifndef TALLY_BASE_MAP_H
#define TALLY_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The one value that cannot be stored: it marks an empty slot and "not there". */
#define TALLY_MAP_NONE UINT64_MAX

struct tally_map_slot {
	uint64_t key, value;
};

struct tally_map {
	struct tally_map_slot *slots;
	size_t len;
	size_t mask; /* number of slots - 1; meaningless while slots is NULL */
	uint64_t seed;
};

/* The value of `key`, or TALLY_MAP_NONE. */
uint64_t tally_map_get(const struct tally_map *map, uint64_t key);

/* Set `key` to `value` (not TALLY_MAP_NONE), replacing. 0 or -ENOMEM, the map unchanged. */
int tally_map_put(struct tally_map *map, uint64_t key, uint64_t value);

/* Remove `key`; returns its value or TALLY_MAP_NONE. */
uint64_t tally_map_remove(struct tally_map *map, uint64_t key);

/* Walk all entries in no particular order: start with `*pos` 0; returns NULL at the end.
 * The map must not change meanwhile. */
const struct tally_map_slot *tally_map_next(const struct tally_map *map, size_t *pos);

void tally_map_free(struct tally_map *map);

#endif
