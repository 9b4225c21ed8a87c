/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address space: the mapped files and their addresses. Mappings never overlap. A process and its
 * fork share a space until either of them maps something.
 *
 * The mappings are nodes of a treap: a search tree by address and a heap by random rank, which
 * remains shallow regardless of the order of insertion. Spaces that diverge share all nodes except
 * those on the path to the difference, so inserting a mapping costs O(log n) time and memory, even
 * in the child of a large process. For look-ups, an array of all mappings is built, but only after
 * enough look-ups to amortize its cost.
 *
 * Each state of a space in which an address was looked up has a unique ID, so results can be cached
 * by (ID, address). Not thread-safe.
 */
#ifndef TALLY_PROFILE_PROCESS_MAPS_H
#define TALLY_PROFILE_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_dso;

struct tally_mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t shift;      /* address in the DSO minus address in memory, modulo 2^64 */
	struct tally_dso *dso;
	/* Location key (see machine.h) minus address in memory, modulo 2^64; 0 if there is no
	 * key. */
	uint64_t location_key;
	bool is_code;  /* mapped with execute permission */
	bool is_moved; /* memory with a copy of the file's code (machine_moved.h) */
};

enum { TALLY_MAPS_HINTS = 16 };

struct tally_maps_node;

/* Cached results of look-ups. They are cleared when a mapping changes. */
struct tally_maps_index {
	const struct tally_mapping *hints[TALLY_MAPS_HINTS]; /* see tally_maps_hint(); never NULL */
	struct {
		uint64_t start, end;
	} gaps[TALLY_MAPS_HINTS];  /* unmapped ranges, indexed by the same hint */
	size_t looks;              /* number of look-ups in the tree before the array is built */
	struct tally_mapping *all; /* sorted copies of all mappings; NULL if not built */
};

struct tally_maps {
	unsigned refs;
	bool was_read; /* an address has been looked up since `space` was assigned */
	uint64_t space;
	size_t nr; /* number of mappings: exact with an array, otherwise an upper limit */
	struct tally_maps_node *root;
	struct tally_maps_index *index; /* never NULL */
};

/* Create an empty space with one reference, and take its ID from `*next_space`. Returns NULL when
 * out of memory. */
struct tally_maps *tally_maps_new(uint64_t *next_space);

/* Take a reference. */
struct tally_maps *tally_maps_get(struct tally_maps *maps);

/* Release a reference. NULL is allowed. */
void tally_maps_put(struct tally_maps *maps);

/* Insert `map`, and remove or truncate the mappings that it covers. Before that, `*maps` is
 * replaced with a copy if it is shared, and gets a new ID if an address has been looked up in it.
 * An empty map is ignored. Returns 0 or -ENOMEM. */
int tally_maps_insert(struct tally_maps **maps, const struct tally_mapping *map,
		      uint64_t *next_space);

/* Call `fn` for each mapping, in address order. `fn` may change location keys. */
void tally_maps_walk(struct tally_maps *maps, void (*fn)(void *arg, struct tally_mapping *map),
		     void *arg);

/* Return the cache slot for an address. */
static inline unsigned tally_maps_hint(uint64_t addr)
{
	/* Programs, libraries and stacks differ in the upper bits; libraries differ from each other
	 * in the lower bits. */
	return (addr >> 40 ^ addr >> 22) % TALLY_MAPS_HINTS;
}

/* Search for an address outside the cached mapping. This is the slow path of tally_maps_find(). */
const struct tally_mapping *tally_maps_search(struct tally_maps *maps, uint64_t addr);

/* Return the mapping that contains `addr`, or NULL. The result is valid until the next
 * insertion. */
static inline const struct tally_mapping *tally_maps_find(struct tally_maps *maps, uint64_t addr)
{
	const struct tally_mapping *guess = maps->index->hints[tally_maps_hint(addr)];

	maps->was_read = true;
	if (addr >= guess->start && addr < guess->end)
		return guess;
	return tally_maps_search(maps, addr);
}

/* Convert `addr`, which is inside `map`, to an address in the map's DSO. */
static inline uint64_t tally_mapping_to_dso(const struct tally_mapping *map, uint64_t addr)
{
	return addr + map->shift;
}

#endif
