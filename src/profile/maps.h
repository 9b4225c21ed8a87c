/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address space: which file is mapped where, never overlapping; shared between a process and its
 * fork until one of them maps something.
 *
 * The maps are nodes of a search tree (a treap: by address, and a heap by random numbers, so that
 * it stays flat in whatever order maps come). Spaces that part share all nodes but those on the way
 * to what differs, so a map costs O(log n) in time and memory, also in a child of a large process.
 * For looking up there is an array of all maps, made as soon as so many addresses were looked up
 * that it costs nothing beside them.
 *
 * Each state of a space that an address was looked up in has a number of its own, so that
 * what was found can be remembered under (number, address). Not thread-safe.
 */
#ifndef TALLY_PROFILE_MAPS_H
#define TALLY_PROFILE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_dso;

struct tally_mapping {
	uint64_t start, end; /* [start, end) */
	uint64_t shift;      /* from an address to its place in the DSO, modulo 2^64 */
	struct tally_dso *dso;
	uint64_t location_key; /* from an address to its location key (see machine.h), modulo 2^64;
				  0: none */
	bool is_code;          /* it was mapped to be executed */
	bool is_moved;         /* memory that has the file's code, see machine_moved.h */
};

enum { TALLY_MAPS_HINTS = 16 };

struct tally_maps_node;

/* What look-ups have found; nothing of it is left when a map changes. */
struct tally_maps_index {
	const struct tally_mapping *hints[TALLY_MAPS_HINTS]; /* see tally_maps_hint(); never NULL */
	struct {
		uint64_t start, end;
	} gaps[TALLY_MAPS_HINTS];  /* the same, where nothing is mapped */
	size_t looks;              /* in the tree, for want of an array */
	struct tally_mapping *all; /* copies of all maps, in order; NULL: not made */
};

struct tally_maps {
	unsigned refs;
	bool was_read; /* since `space` was assigned */
	uint64_t space;
	size_t nr; /* of maps, exact with an array; else at least as many */
	struct tally_maps_node *root;
	struct tally_maps_index *index; /* never NULL */
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

/* Call `fn` for each map, in order. It may change their location keys. */
void tally_maps_walk(struct tally_maps *maps, void (*fn)(void *arg, struct tally_mapping *map),
		     void *arg);

/* Where what was found for an address like this one is remembered. */
static inline unsigned tally_maps_hint(uint64_t addr)
{
	/* Programs, libraries and stacks differ in the upper bits, libraries in the lower. */
	return (addr >> 40 ^ addr >> 22) % TALLY_MAPS_HINTS;
}

/* tally_maps_find() where it is not the map that the hint says. */
const struct tally_mapping *tally_maps_search(struct tally_maps *maps, uint64_t addr);

/* The map that holds `addr`, NULL if none; valid until the next insert. */
static inline const struct tally_mapping *tally_maps_find(struct tally_maps *maps, uint64_t addr)
{
	const struct tally_mapping *guess = maps->index->hints[tally_maps_hint(addr)];

	maps->was_read = true;
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
