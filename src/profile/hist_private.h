/* SPDX-License-Identifier: BSD-2-Clause */
/* State while rows and graphs are being made. */
#ifndef TALLY_PROFILE_HIST_PRIVATE_H
#define TALLY_PROFILE_HIST_PRIVATE_H

#include "profile/hist.h"
#include "profile/path.h"
#include "profile/selection.h"

struct hist_bucket {
	uint32_t bucket; /* index into builder->all */
	uint32_t group, row;
	uint32_t path; /* of its callchain, in the tree of the group at work */
};

/* A row heavy enough for a graph. */
struct hist_heavy {
	uint32_t group, row;
};

/* Whether a function was met on a callchain, and its row. */
struct hist_met {
	uint32_t bucket; /* the last one on whose callchain it is, + 1 */
	uint32_t row;    /* in the group at work, + 1; 0: not known yet */
};

/* Per path, of the buckets at work: what passes through it. */
struct path_sum {
	uint64_t period;
	uint32_t nr;
	uint32_t first_child, sibling; /* among the paths touched */
};

/* Sums over the tree of paths; all zero but for the paths touched. */
struct path_sums {
	TALLY_VEC(struct path_sum) at; /* by path, as far as there is room */
	TALLY_VEC(uint32_t) touched;
};

struct hist_builder {
	const struct tally_profile *profile;
	const struct tally_hist_options *options;
	struct tally_hist *hist;
	const struct tally_bucket *all; /* the profile's, or those selected */
	size_t nr_all;
	uint32_t *fkeys;     /* by frame, and that of hist_light() */
	uint32_t *functions; /* by frame: one that stands for its function; NULL: all do */
	uint8_t *parents; /* by frame: whether it is a caller looked for; NULL without that key */
	struct tally_intern group_ids;
	struct tally_group last_group; /* looked up last, without its thread */
	uint32_t last_group_id;
	uint32_t *first_rows;                  /* by fkey: its first row + 1; 0: none */
	struct tally_map row_ids;              /* group << 32 | fkey -> row, of other rows */
	TALLY_VEC(struct hist_bucket) buckets; /* of the event, by group */
	struct hist_met *met;                  /* by fkey, with children */
	TALLY_VEC(uint32_t) met_fkeys;         /* whose rows in the group at work are known */
	struct tally_paths paths;              /* of the group at work */
	struct path_sums group_sums;           /* of all buckets of the group at work */
	struct path_sums row_sums;             /* of the buckets of one row */
	uint32_t *open;     /* by fkey: how often it is on the path being walked */
	uint32_t *heavy_of; /* by fkey: its number + 1 among the heavy rows of the group at work */
	TALLY_VEC(struct hist_heavy) heavy; /* rows with graphs, by group and row */
	size_t next_heavy;                  /* the first of the groups to come */
};

/* A place in the tree, and how much of what is there belongs to the graph. */
struct hist_place {
	uint32_t path;
	uint32_t next; /* of the same graph node: index + 1 into places, 0 ends */
	uint64_t period;
	uint64_t nr;
	const struct path_sums *sums; /* downwards: of what goes on from here */
};

struct hist_grower {
	struct hist_builder *builder;
	bool downwards;
	TALLY_VEC(struct hist_place) places;
	struct tally_map by_frame; /* node << 32 | frame -> child of the node */
	TALLY_VEC(uint32_t) heads; /* by graph node but for the row's root: its places */
	uint32_t root;
};

static inline const struct tally_path *hist_path(const struct hist_builder *builder, uint32_t path)
{
	return &builder->paths.all.data[path];
}

static inline uint32_t hist_path_fkey(const struct hist_builder *builder, uint32_t path)
{
	return builder->fkeys[hist_path(builder, path)->frame];
}

/* The first of the outermost paths that were touched. */
static inline uint32_t hist_sum_root(const struct path_sums *sums)
{
	return sums->at.cap ? sums->at.data[0].first_child : TALLY_PATH_NONE;
}

/* What stands in the tree for functions that are in no graph. */
static inline uint32_t hist_light(const struct hist_builder *builder)
{
	return (uint32_t)builder->profile->frames.all.len;
}

static inline const struct tally_bucket *hist_bucket(const struct hist_builder *builder, size_t i)
{
	return &builder->all[builder->buckets.data[i].bucket];
}

/* Find what frames have in common: as rows (fkeys), and as functions. 0 or -ENOMEM. */
int hist_fkeys(struct hist_builder *builder);

/* The row of a group and a frame, made if new. 0 or -ENOMEM. */
int hist_row(struct hist_builder *builder, uint32_t group, uint32_t frame, uint32_t *ret_row);

/* Put the rows in the order that they are shown in. 0 or -ENOMEM. */
int hist_rows_sort(struct hist_builder *builder);

/* Add to each row of the group whose buckets are [first, last) what its functions' callees cost.
 * 0 or -ENOMEM. */
int hist_children(struct hist_builder *builder, size_t first, size_t last);

#endif
