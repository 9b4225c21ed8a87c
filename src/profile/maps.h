/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address space: which file is mapped where. Mappings never overlap. A process and its fork
 * share the space until one of them maps something.
 *
 * The mappings are nodes of a treap: a search tree by address and a heap by random rank, so that it
 * stays flat whatever the order of insertion. Spaces that diverge share all nodes except those on
 * the path to the difference. A mapping therefore costs O(log n) time and memory, even in the child
 * of a large process. For look-ups there is an array of all mappings, built once there were so many
 * look-ups that its cost no longer matters.
 *
 * Each state of a space in which an address was looked up has a unique number, so results can be
 * cached by (number, address). Not thread-safe.
 */
#ifndef TALLY_PROFILE_MAPS_H
#define TALLY_PROFILE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_dso;

struct tally_mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t shift;      /* address in the DSO minus address in memory, modulo 2^64 */
	struct tally_dso *dso;
	uint64_t location_key; /* location key (see machine.h) minus address in memory, modulo 2^64;
	                        * 0: none */
	bool is_code;          /* mapped with execute permission */
	bool is_moved;         /* memory with a copy of the file's code, see machine_moved.h */
};

enum { TALLY_MAPS_HINTS = 16 };

struct tally_maps_node;

/* Cached results of look-ups; cleared when a mapping changes. */
struct tally_maps_index {
	const struct tally_mapping *hints[TALLY_MAPS_HINTS]; /* see tally_maps_hint(); never NULL */
	struct {
		uint64_t start, end;
	} gaps[TALLY_MAPS_HINTS];  /* the same for unmapped ranges */
	size_t looks;              /* look-ups in the tree, for lack of an array */
	struct tally_mapping *all; /* copies of all mappings, in order; NULL: not built */
};

struct tally_maps {
	unsigned refs;
	bool was_read; /* looked up since `space` was assigned */
	uint64_t space;
	size_t nr; /* number of mappings: exact with an array, otherwise an upper bound */
	struct tally_maps_node *root;
	struct tally_maps_index *index; /* never NULL */
};

/* Create an empty space with one reference, numbered from `*next_space`. NULL if out of memory. */
struct tally_maps *tally_maps_new(uint64_t *next_space);

/* Take a reference. */
struct tally_maps *tally_maps_get(struct tally_maps *maps);

/* Release a reference. NULL is allowed. */
void tally_maps_put(struct tally_maps *maps);

/* Insert `map`, and remove or truncate the mappings that it covers. `*maps` is first replaced by a
 * copy if it is shared, and gets a new number if it was read. Returns 0 or -ENOMEM; an empty map is
 * ignored. */
int tally_maps_insert(struct tally_maps **maps, const struct tally_mapping *map,
		      uint64_t *next_space);

/* Call `fn` for each mapping, in order. `fn` may change location keys. */
void tally_maps_walk(struct tally_maps *maps, void (*fn)(void *arg, struct tally_mapping *map),
		     void *arg);

/* Return the cache slot of an address. */
static inline unsigned tally_maps_hint(uint64_t addr)
{
	/* Programs, libraries and stacks differ in the upper bits, libraries in the lower ones. */
	return (addr >> 40 ^ addr >> 22) % TALLY_MAPS_HINTS;
}

/* Slow path of tally_maps_find(), for an address outside the cached mapping. */
const struct tally_mapping *tally_maps_search(struct tally_maps *maps, uint64_t addr);

/* Return the mapping that contains `addr`, or NULL; valid until the next insertion. */
static inline const struct tally_mapping *tally_maps_find(struct tally_maps *maps, uint64_t addr)
{
	const struct tally_mapping *guess = maps->index->hints[tally_maps_hint(addr)];

	maps->was_read = true;
	if (addr >= guess->start && addr < guess->end)
		return guess;
	return tally_maps_search(maps, addr);
}

/* Convert `addr`, which is inside `map`, to an address of the map's DSO. */
static inline uint64_t tally_mapping_to_dso(const struct tally_mapping *map, uint64_t addr)
{
	return addr + map->shift;
}

#endif
