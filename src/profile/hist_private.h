/* SPDX-License-Identifier: BSD-2-Clause */
/* State while rows and graphs are being made. */
#ifndef TALLY_PROFILE_HIST_PRIVATE_H
#define TALLY_PROFILE_HIST_PRIVATE_H

#include "profile/hist.h"

struct hist_cell {
	uint32_t cell; /* index into profile->cells */
	uint32_t group, row;
};

/* Per path, of the group at work. */
struct path_sum {
	uint64_t period, nr;           /* with all paths below */
	uint64_t self, self_nr;        /* of cells that end here */
	uint32_t first_child, sibling; /* among the paths touched */
};

struct hist_builder {
	const struct tally_profile *profile;
	const struct tally_hist_options *options;
	struct tally_hist *hist;
	uint32_t *fkeys;   /* by frame */
	uint32_t *parents; /* by path: frame of the caller that matched; NULL without that key */
	struct tally_intern group_ids;
	struct tally_map row_ids;          /* group << 32 | fkey -> row */
	TALLY_VEC(struct hist_cell) cells; /* of the event, by group */
	struct path_sum *sums;
	TALLY_VEC(uint32_t) touched; /* paths with a sum */
	struct tally_map edges;      /* graph node << 32 | frame -> graph node */
};

/* The row of a group and a frame, made if new. 0 or -ENOMEM. */
int hist_row(struct hist_builder *builder, uint32_t group, uint32_t frame, uint32_t *ret_row);

/* Sum up the cells [first, last), all of one group, over all paths above theirs. */
int hist_sum_paths(struct hist_builder *builder, size_t first, size_t last);
void hist_clear_paths(struct hist_builder *builder);

/* Whether a caller of `path` has this fkey. */
bool hist_has_ancestor(const struct hist_builder *builder, uint32_t path, uint32_t fkey);

/* Graphs of the rows of the group whose cells are [first, last) and whose paths are summed
 * up if the options say children. */
int hist_graph_group(struct hist_builder *builder, size_t first, size_t last);

static inline const struct tally_path *hist_path(const struct hist_builder *builder, uint32_t path)
{
	return &builder->profile->paths.paths.data[path];
}

static inline uint32_t hist_path_fkey(const struct hist_builder *builder, uint32_t path)
{
	return builder->fkeys[hist_path(builder, path)->frame];
}

#endif
