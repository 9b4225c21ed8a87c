/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address ranges that were added in order, each on top of the earlier ones. A lookup finds the last
 * of the first N ranges that covers an address.
 *
 * The bounds of all ranges divide the addresses into pieces, which are the leaves of a binary tree.
 * A range is stored in the few nodes that together cover it. All ranges that cover an address are
 * in the nodes on the path from its leaf to the root, and each node lists its ranges in the order
 * in which they were added. Building takes O(n log n) time, a lookup O(log^2 n).
 */
#ifndef TALLY_SYMBOLS_JIT_LAYERS_H
#define TALLY_SYMBOLS_JIT_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#define TALLY_LAYER_NONE UINT32_MAX

/* Range [start, end), which must not be empty. */
struct tally_layer {
	uint64_t start, end;
};

/* An all-zero struct has no layers. */
struct tally_layers {
	uint64_t *bounds; /* bounds of the pieces, ascending and unique */
	size_t nr_bounds;
	uint32_t *firsts;  /* index of each node's first entry, then the end index */
	uint32_t *entries; /* range numbers, ascending within each node */
};

struct tally_layers_found {
	uint32_t number; /* TALLY_LAYER_NONE if no range covers the address */
	uint32_t next;   /* first later range that covers the address, or TALLY_LAYER_NONE */
	uint32_t below;  /* number of earlier ranges that also cover the address */
};

/* Build the layers from `nr` ranges. `list` points to the first range, and each following range is
 * `stride` bytes after the previous one. A range takes at most 40 + 8 log2(nr) bytes, no matter how
 * the ranges overlap. Returns 0, -ENOMEM, or -EFBIG if there are too many ranges. */
int tally_layers_build(const struct tally_layer *list, size_t stride, size_t nr,
		       struct tally_layers *ret_layers);

/* Find the last of the first `before` ranges that covers `addr`. */
struct tally_layers_found tally_layers_find(const struct tally_layers *layers, uint64_t addr,
					    uint32_t before);

void tally_layers_free(struct tally_layers *layers);

#endif
