/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over the tree of paths. */
#ifndef TALLY_PROFILE_SUMS_H
#define TALLY_PROFILE_SUMS_H

#include "profile/hist_private.h"

/* Add the callchain of bucket `i` to the current group's tree. Returns 0 or -ENOMEM. */
int hist_path_build(struct hist_builder *builder, size_t i);

/* Allocate sums for all paths in the tree. Returns 0 or -ENOMEM. */
int hist_sum_reach(const struct hist_builder *builder, struct path_sums *sums);

/* Add bucket `i` to the sums of its path and of all its callers' paths. hist_sum_subtract()
 * reverses this. Returns 0 or -ENOMEM. */
int hist_sum_add(struct hist_builder *builder, struct path_sums *sums, size_t i);

void hist_sum_subtract(struct hist_builder *builder, struct path_sums *sums, size_t i);

/* Add back a subtracted bucket. Cannot fail. */
void hist_sum_restore(struct hist_builder *builder, struct path_sums *sums, size_t i);

/* Link the touched paths into a tree that can be walked downwards. Path 0 is the root of this
 * tree. */
void hist_sum_link(struct hist_builder *builder, struct path_sums *sums);

void hist_sum_clear(struct path_sums *sums);

void hist_sum_free(struct path_sums *sums);

/* Walk the tree of sums downwards, and call `visit` for each path. `outermost` is true if no caller
 * on the path has the same fkey. Returns 0, -ENOMEM, or the return value of `visit`. */
int hist_walk(struct hist_builder *builder, struct path_sums *sums,
	      int (*visit)(struct hist_builder *builder, uint32_t path, bool outermost, void *arg),
	      void *arg);

#endif
