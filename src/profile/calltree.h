/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call trees: the callchains of a selection, merged where they share a path. A tree starts at the
 * outermost callers, at the innermost functions, or at one function. It contains only nodes heavy
 * enough to be visible, down to a maximum depth. Growing one takes a few milliseconds for a hundred
 * thousand callchains, so every zoom grows a new tree.
 */
#ifndef TALLY_PROFILE_CALLTREE_H
#define TALLY_PROFILE_CALLTREE_H

#include "profile/hist.h"
#include "profile/selection.h"

enum tally_calltree_way {
	TALLY_CALLTREE_CALLEES, /* inwards: from callers to callees */
	TALLY_CALLTREE_CALLERS, /* outwards: from callees to callers */
};

struct tally_calltree_options {
	enum tally_calltree_way way;
	/* Start at this function (an index of tally_chains.functions) at its outermost position on
	 * a chain. Below it are its callees (including itself if it recurses) or its callers.
	 * TALLY_FRAME_NONE: whole chains. */
	uint32_t function;
	/* Only chains that begin with these functions, each of which is one node; NULL: all. */
	const uint32_t *prefix;
	uint32_t nr_prefix;
	bool collapses;     /* a function that calls itself is one node */
	uint64_t min;       /* leave out nodes with less than this */
	uint32_t parts;     /* leave out nodes with less than this fraction (1/parts) of the root;
	                     * 0: no limit */
	uint32_t max_depth; /* levels below the prefix; 0: all */
};

struct tally_calltree {
	/* [0] is the root. Its frame is the last one of the prefix, else the function, else
	 * TALLY_FRAME_NONE. Children are sorted by weight, heaviest first. */
	TALLY_VEC(struct tally_graph_node) nodes;
	uint64_t nr_light; /* children left out because of `min` and `parts`; their descendants are
	                    * not counted */
};

/* Grow a call tree. Returns 0 or -ENOMEM. Free it with tally_calltree_free(). */
int tally_calltree_grow(const struct tally_chains *chains,
			const struct tally_calltree_options *options,
			struct tally_calltree *ret_tree);
void tally_calltree_free(struct tally_calltree *tree);

#endif
