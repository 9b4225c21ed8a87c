/* SPDX-License-Identifier: BSD-2-Clause */
/* Grows a call graph from places (positions) in the tree of paths. */
#ifndef TALLY_PROFILE_GRAPH_GROW_H
#define TALLY_PROFILE_GRAPH_GROW_H

#include "profile/hist_private.h"

/* Add a node without a parent. Returns 0 or -ENOMEM. */
int hist_graph_new(struct hist_builder *builder, uint32_t frame, uint32_t *ret_node);

/* Add a place to the child of `node` for the place's function. Returns 0 or -ENOMEM. */
int hist_grower_add(struct hist_grower *grower, uint32_t node, struct hist_position place);

/* Expand every node below the root that is heavy enough. Returns 0 or -ENOMEM. */
int hist_grower_grow(struct hist_grower *grower);

void hist_grower_free(struct hist_grower *grower);

#endif
