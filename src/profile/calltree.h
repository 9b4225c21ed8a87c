/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call trees: the callchains of a selection put together where they go the same way, from the
 * outermost caller inwards or from the innermost function outwards, or from one function on. Only
 * what weighs enough to be seen, and as deep as there is room for, is grown, so that it takes a few
 * milliseconds for a hundred thousand callchains, and every zoom grows its own.
 */
#ifndef TALLY_PROFILE_CALLTREE_H
#define TALLY_PROFILE_CALLTREE_H

#include "profile/hist.h"
#include "profile/selection.h"

enum tally_calltree_way {
	TALLY_CALLTREE_CALLEES, /* inwards: from callers to what they call */
	TALLY_CALLTREE_CALLERS, /* outwards */
};

struct tally_calltree_options {
	enum tally_calltree_way way;
	/* From this function on (of tally_chains.functions), where it is outermost on a chain: what
	 * it calls, itself again if it recurses, or who calls it. TALLY_FRAME_NONE: whole chains.
	 */
	uint32_t function;
	/* Only chains that begin with these functions, which are one node each; NULL: all. */
	const uint32_t *prefix;
	uint32_t nr_prefix;
	bool collapses;     /* a function that calls itself is one node */
	uint64_t min;       /* nodes with less than this are left out, */
	uint32_t parts;     /* and so are those with less than one of so many parts of the root;
			     * 0: none are */
	uint32_t max_depth; /* levels behind the prefix; 0: all */
};

struct tally_calltree {
	/* [0] is the root, whose frame is the function, or TALLY_FRAME_NONE. Children are in the
	 * order of their weight, heaviest first. */
	TALLY_VEC(struct tally_graph_node) nodes;
	uint64_t nr_light; /* children of these that were left out for their weight, as `min` and
			    * `parts` have it; what is below them was not looked at */
};

/* 0 or -ENOMEM; free it with tally_calltree_free(). */
int tally_calltree_grow(const struct tally_chains *chains,
			const struct tally_calltree_options *options,
			struct tally_calltree *ret_tree);
void tally_calltree_free(struct tally_calltree *tree);

#endif
