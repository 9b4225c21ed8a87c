/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shape of a red-black tree with the keys 0 to nr-1, for lookups among overlapping ranges.
 *
 * perf stores symbols in a red-black tree, ordered by start, and returns the first range on the way
 * down that covers the address. If ranges overlap, the result depends on the shape of the tree, and
 * therefore on the order of insertions and removals. To get the same result, the same tree is built
 * with the textbook algorithm, and its shape is stored. Tables without overlaps need no tree.
 */
#ifndef TALLY_SYMBOLS_TREE_SHAPE_H
#define TALLY_SYMBOLS_TREE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#define TALLY_SHAPE_NONE UINT32_MAX

/* All arrays have one element per key. An all-zero struct is a shape without keys. */
struct tally_shape {
	uint32_t *child[2]; /* left and right child, or TALLY_SHAPE_NONE */
	uint32_t *parent;
	uint8_t *red;
	uint32_t root, nr;
};

/* Create an empty tree for the keys 0 to nr-1. Returns 0 or -ENOMEM. */
int tally_shape_init(struct tally_shape *shape, uint32_t nr);

/* Insert a key that is not in the tree, or remove a key that is in the tree. */
void tally_shape_insert(struct tally_shape *shape, uint32_t key);
void tally_shape_remove(struct tally_shape *shape, uint32_t key);

void tally_shape_free(struct tally_shape *shape);

#endif
