/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranges of addresses that were added in order, each on top of the earlier ones. A lookup answers:
 * which of the first N ranges is the last one that covers an address?
 *
 * The bounds of all ranges divide the addresses into pieces, which are the leaves of a binary tree.
 * A range is entered in the few nodes that make it up. All ranges that cover an address are in the
 * nodes on the path from its leaf to the root, in order of addition within a node. Building takes
 * O(n log n) time, a lookup O(log^2 n).
 */
#ifndef TALLY_SYMBOLS_LAYERS_H
#define TALLY_SYMBOLS_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#define TALLY_LAYER_NONE UINT32_MAX

/* [start, end), not empty. */
struct tally_layer {
	uint64_t start, end;
};

/* All zero has no layers. */
struct tally_layers {
	uint64_t *bounds; /* bounds of the pieces, ascending and unique */
	size_t nr_bounds;
	uint32_t *firsts;  /* by node, the index of its first entry; then the end */
	uint32_t *entries; /* numbers of ranges, ascending in each node */
};

struct tally_layers_found {
	uint32_t number; /* TALLY_LAYER_NONE: no range covers the address */
	uint32_t next;   /* first later range that covers it, or TALLY_LAYER_NONE */
	uint32_t below;  /* how many of the considered ranges are below it */
};

/* Build the layers of `nr` ranges. `list` is the first of them; each other one is `stride` bytes
 * after the previous one. A range takes at most 40 + 8 log2(nr) bytes, however the ranges overlap.
 * Returns 0, -ENOMEM, or -EFBIG if there are too many. */
int tally_layers_build(const struct tally_layer *list, size_t stride, size_t nr,
		       struct tally_layers *ret_layers);

/* Return the last of the first `before` ranges that covers `addr`. */
struct tally_layers_found tally_layers_find(const struct tally_layers *layers, uint64_t addr,
					    uint32_t before);

void tally_layers_free(struct tally_layers *layers);

#endif
