/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranges of addresses that came one after the other, each over what came before it: which was the
 * last of the first so many that covers an address?
 *
 * The bounds of all ranges cut the addresses into pieces, which are the leaves of a binary tree. A
 * range is entered in the few nodes that make it up, and all that cover an address are in the nodes
 * on the way from its leaf to the root, in the order in which they came. Building costs O(n log n)
 * time, a look-up O(log² n).
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
	uint64_t *bounds; /* of pieces, ascending, each once */
	size_t nr_bounds;
	uint32_t *firsts;  /* by node the number of its first entry, and the end */
	uint32_t *entries; /* numbers of ranges, ascending in a node */
};

struct tally_layers_found {
	uint32_t number; /* TALLY_LAYER_NONE: none covers it */
	uint32_t next;   /* the first one not among those looked at that covers it, or NONE */
	uint32_t below;  /* how many of those looked at lie under it */
};

/* Layers of `nr` ranges, the first of which is `list`, and each other `stride` bytes behind the one
 * before. A range takes at most 8 log2(nr) bytes beside 40, whatever lies over what. 0, -ENOMEM, or
 * -EFBIG if there are too many. */
int tally_layers_build(const struct tally_layer *list, size_t stride, size_t nr,
		       struct tally_layers *ret_layers);

/* The last one of the first `before` ranges that covers `addr`. */
struct tally_layers_found tally_layers_find(const struct tally_layers *layers, uint64_t addr,
					    uint32_t before);

void tally_layers_free(struct tally_layers *layers);

#endif
