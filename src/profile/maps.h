/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address space: which file is mapped where. Sorted, never overlapping; shared between
 * a process and its fork until one of them maps something.
 *
 * Each state of a space that an address was looked up in has a number of its own, so that
 * what was found can be remembered under (number, address). Not thread-safe.
 */
#ifndef TALLY_PROFILE_MAPS_H
#define TALLY_PROFILE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct tally_dso;

struct tally_mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t shift;      /* from an address to its place in the DSO, modulo 2^64 */
	struct tally_dso *dso;
	uint64_t word; /* from an address to its word (see machine.h), modulo 2^64; 0: none */
};

enum { TALLY_MAPS_HINTS = 16 };

struct tally_maps {
	unsigned refs;
	bool was_read;                    /* since `space` was assigned */
	uint16_t hints[TALLY_MAPS_HINTS]; /* see tally_maps_hint(); below `len`, or 0 */
	uint64_t space;
	TALLY_VEC(struct tally_mapping) all;
};

/* An empty space with one reference, numbered from `*next_space`. NULL when out of memory. */
struct tally_maps *tally_maps_new(uint64_t *next_space);

struct tally_maps *tally_maps_get(struct tally_maps *maps);

/* Give back a reference; NULL is fine. */
void tally_maps_put(struct tally_maps *maps);

/* Map `map`, cutting away what it covers. `*maps` is replaced by a copy first if others
 * share it, and gets a new number if it was read. 0 or -ENOMEM; an empty map is ignored. */
int tally_maps_insert(struct tally_maps **maps, const struct tally_mapping *map,
		      uint64_t *next_space);

/* Which map the last address like this one was in, or behind. */
static inline uint16_t *tally_maps_hint(struct tally_maps *maps, uint64_t addr)
{
	/* Programs, libraries and stacks differ in the upper bits, libraries in the lower. */
	return &maps->hints[(addr >> 40 ^ addr >> 22) % TALLY_MAPS_HINTS];
}

/* tally_maps_find() where there are maps, and it is not the one that the hint says. */
const struct tally_mapping *tally_maps_search(struct tally_maps *maps, uint64_t addr);

/* The map that holds `addr`, NULL if none; valid until the next insert. */
static inline const struct tally_mapping *tally_maps_find(struct tally_maps *maps, uint64_t addr)
{
	const struct tally_mapping *guess;

	maps->was_read = true;
	if (!maps->all.len)
		return NULL;
	guess = &maps->all.data[*tally_maps_hint(maps, addr)];
	if (addr >= guess->start && addr < guess->end)
		return guess;
	return tally_maps_search(maps, addr);
}

/* Where `addr`, inside `map`, stands in the map's DSO. */
static inline uint64_t tally_mapping_to_dso(const struct tally_mapping *map, uint64_t addr)
{
	return addr + map->shift;
}

#endif
