/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shape of a red-black tree of the keys 0 to nr-1, for lookups among overlapping ranges.
 *
 * perf keeps symbols in such a tree, ordered by start, and returns the first range on the way down
 * that covers the address. If ranges overlap, the result depends on the shape of the tree, and so
 * on the order of insertions and removals. To get the same result, the same tree is built once, by
 * the textbook algorithm, and its shape is kept. Tables without overlaps need none.
 */
#ifndef TALLY_SYMBOLS_TREE_SHAPE_H
#define TALLY_SYMBOLS_TREE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#define TALLY_SHAPE_NONE UINT32_MAX

/* All arrays have one element per key. All zero is a shape without keys. */
struct tally_shape {
	uint32_t *child[2]; /* left and right key, or TALLY_SHAPE_NONE */
	uint32_t *parent;
	uint8_t *red;
	uint32_t root, nr;
};

/* Create an empty tree for the keys 0 to nr-1. Returns 0 or -ENOMEM. */
int tally_shape_init(struct tally_shape *shape, uint32_t nr);

/* Insert a key that is not in the tree; remove a key that is. */
void tally_shape_insert(struct tally_shape *shape, uint32_t key);
void tally_shape_remove(struct tally_shape *shape, uint32_t key);

void tally_shape_free(struct tally_shape *shape);

#endif
