/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call trees: the callchains of a selection, merged where they share a path. A tree starts at the
 * outermost callers, at the innermost functions, or at one function. It contains only nodes heavy
 * enough to be visible, down to a maximum depth. Growing a tree takes a few milliseconds for a
 * hundred thousand callchains, so every zoom grows a new tree.
 */
#ifndef TALLY_PROFILE_GRAPH_CALLTREE_H
#define TALLY_PROFILE_GRAPH_CALLTREE_H

#include "profile/hist.h"
#include "profile/selection.h"

enum tally_calltree_way {
	TALLY_CALLTREE_CALLEES, /* inwards: from callers to callees */
	TALLY_CALLTREE_CALLERS, /* outwards: from callees to callers */
};

struct tally_calltree_options {
	enum tally_calltree_way way;
	/* Start at this function (an index in tally_chains.functions), at its outermost position in
	 * each chain. Below it are its callers or its callees, which include the function itself if
	 * it is recursive. TALLY_FRAME_NONE selects whole chains. */
	uint32_t function;
	/* Include only chains that begin with these functions, each of which becomes one node. NULL
	 * includes all chains. */
	const uint32_t *prefix;
	uint32_t nr_prefix;
	bool collapses; /* show a recursive function as a single node */
	uint64_t min;   /* leave out nodes with a smaller weight */
	/* Leave out nodes that weigh less than 1/parts of the root; 0 for no limit. */
	uint32_t parts;
	uint32_t max_depth; /* maximum number of levels below the prefix; 0 for no limit */
};

struct tally_calltree {
	/* nodes.data[0] is the root. Its frame is the last function of the prefix or, without a
	 * prefix, `function`, which may be TALLY_FRAME_NONE. Children are sorted by weight,
	 * heaviest first. */
	TALLY_VEC(struct tally_graph_node) nodes;
	uint64_t nr_light; /* children left out because of `min` and `parts`; their descendants are
	                    * not counted */
};

/* Grow a call tree, which the caller frees with tally_calltree_free(). Returns 0 or -ENOMEM. */
int tally_calltree_grow(const struct tally_chains *chains,
			const struct tally_calltree_options *options,
			struct tally_calltree *ret_tree);
void tally_calltree_free(struct tally_calltree *tree);

#endif
