/* SPDX-License-Identifier: BSD-2-Clause */
/* Call graphs for rows. */
#ifndef TALLY_PROFILE_GRAPH_GRAPH_H
#define TALLY_PROFILE_GRAPH_GRAPH_H

#include "profile/hist_private.h"

/* Find the rows that are heavy enough for a graph. Returns 0 or -ENOMEM. */
int hist_graph_heavy(struct hist_builder *builder);

/* Build graphs for the heavy rows in the group with the buckets [first, last). Returns 0 or
 * -ENOMEM. */
int hist_graph_group(struct hist_builder *builder, size_t first, size_t last);

#endif
