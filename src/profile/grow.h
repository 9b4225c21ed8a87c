/* SPDX-License-Identifier: BSD-2-Clause */
/* Growing a call graph out of places in the tree of paths. */
#ifndef TALLY_PROFILE_GROW_H
#define TALLY_PROFILE_GROW_H

#include "profile/hist_private.h"

/* A node without a parent. 0 or -ENOMEM. */
int hist_graph_new(struct hist_builder *builder, uint32_t frame, uint32_t *ret_node);

/* Put a place under `node`, at the child for the function it is in. 0 or -ENOMEM. */
int hist_grower_put(struct hist_grower *grower, uint32_t node, struct hist_place place);

/* Go on from every node under the root that is heavy enough. 0 or -ENOMEM. */
int hist_grower_grow(struct hist_grower *grower);

void hist_grower_free(struct hist_grower *grower);

#endif
