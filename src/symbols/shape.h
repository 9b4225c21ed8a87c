/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shape of a red-black tree of the keys 0 to nr-1, for look-ups among overlapping ranges.
 *
 * perf keeps symbols in such a tree, ordered by start, and takes the first range on the way down
 * that covers the address. Where ranges overlap its answer therefore depends on the shape of the
 * tree, that is, on the order of insertions and removals. To answer the same we grow the same
 * tree, once, by the textbook's rules, and keep its shape. Tables without overlaps need none.
 */
#ifndef TALLY_SYMBOLS_SHAPE_H
#define TALLY_SYMBOLS_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#define TALLY_SHAPE_NONE UINT32_MAX

/* All arrays have one element per key. All zero is a shape of no keys. */
struct tally_shape {
	uint32_t *child[2]; /* left and right key, or TALLY_SHAPE_NONE */
	uint32_t *parent;
	uint8_t *red;
	uint32_t root, nr;
};

/* An empty tree with room for the keys 0 to nr-1. 0 or -ENOMEM. */
int tally_shape_init(struct tally_shape *shape, uint32_t nr);

/* Insert a key that is not there; remove one that is. */
void tally_shape_insert(struct tally_shape *shape, uint32_t key);
void tally_shape_remove(struct tally_shape *shape, uint32_t key);

void tally_shape_free(struct tally_shape *shape);

#endif
