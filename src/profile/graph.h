/* SPDX-License-Identifier: BSD-2-Clause */
/* Call graphs of rows. */
#ifndef TALLY_PROFILE_GRAPH_H
#define TALLY_PROFILE_GRAPH_H

#include "profile/hist_private.h"

/* Find the rows that get graphs. Returns 0 or -ENOMEM. */
int hist_graph_heavy(struct hist_builder *builder);

/* Make the graphs of the heavy rows of one group, which has the buckets [first, last). Returns 0 or
 * -ENOMEM. */
int hist_graph_group(struct hist_builder *builder, size_t first, size_t last);

#endif
