/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over the tree of paths. */
#ifndef TALLY_PROFILE_SUMS_H
#define TALLY_PROFILE_SUMS_H

#include "profile/hist_private.h"

/* Put the callchain of bucket `i` into the tree of the group at work. 0 or -ENOMEM. */
int hist_path_make(struct hist_builder *builder, size_t i);

/* Make room for the sums of all paths of the tree. 0 or -ENOMEM. */
int hist_sum_reach(const struct hist_builder *builder, struct path_sums *sums);

/* Add the path of bucket `i` to the sums (or take it away again), all the way up. 0 or -ENOMEM. */
int hist_sum_add(struct hist_builder *builder, struct path_sums *sums, size_t i);

void hist_sum_subtract(struct hist_builder *builder, struct path_sums *sums, size_t i);

/* Give back what was taken: cannot fail. */
void hist_sum_return(struct hist_builder *builder, struct path_sums *sums, size_t i);

/* Make the paths touched a tree that can be walked downwards; path 0 is its root. */
void hist_sum_link(struct hist_builder *builder, struct path_sums *sums);

void hist_sum_clear(struct path_sums *sums);

void hist_sum_free(struct path_sums *sums);

/* Walk the tree of sums downwards, calling `visit` for each path; `outermost` tells that no
 * caller on it has the same fkey. 0, -ENOMEM, or what visit returned. */
int hist_walk(struct hist_builder *builder, struct path_sums *sums,
	      int (*visit)(struct hist_builder *builder, uint32_t path, bool outermost, void *arg),
	      void *arg);

#endif
