/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from uint64_t to uint64_t, with open addressing, linear probing and a power-of-two
 * size. Values are IDs, indices or pointers cast through uintptr_t. An all-zero map is empty. Not
 * thread-safe. Hashes are seeded from addresses, because keys come from untrusted files.
 */
#ifndef TALLY_BASE_MAP_H
#define TALLY_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The only value that cannot be stored: it marks empty slots and is returned for missing keys. */
#define TALLY_MAP_NONE UINT64_MAX

struct tally_map_slot {
	uint64_t key, value;
};

struct tally_map {
	struct tally_map_slot *slots;
	size_t len;
	size_t mask; /* number of slots - 1; unused while slots is NULL */
	uint64_t seed;
};

/* Return the value of `key`, or TALLY_MAP_NONE. */
uint64_t tally_map_get(const struct tally_map *map, uint64_t key);

/* Set or replace the value of `key`. The value must not be TALLY_MAP_NONE. Return 0, or -ENOMEM
 * with the map unchanged. */
int tally_map_set(struct tally_map *map, uint64_t key, uint64_t value);

/* Remove `key`. Return its value, or TALLY_MAP_NONE if it was not in the map. */
uint64_t tally_map_remove(struct tally_map *map, uint64_t key);

/* Iterate over all entries, in no particular order; start with `*pos` set to 0. Return NULL at the
 * end. The map must not be changed during the iteration. */
const struct tally_map_slot *tally_map_next(const struct tally_map *map, size_t *pos);

/* Free the map; it is empty afterwards. */
void tally_map_free(struct tally_map *map);

#endif
