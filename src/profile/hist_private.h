/* SPDX-License-Identifier: BSD-2-Clause */
/* State used while rows and graphs are built. */
#ifndef TALLY_PROFILE_HIST_PRIVATE_H
#define TALLY_PROFILE_HIST_PRIVATE_H

#include "profile/hist.h"
#include "profile/profile_path.h"
#include "profile/selection.h"

struct hist_bucket {
	uint32_t bucket; /* index into builder->all */
	uint32_t group, row;
	uint32_t path; /* its callchain in the tree of the current group */
};

/* A row heavy enough for a graph. */
struct hist_heavy {
	uint32_t group, row;
};

/* Cache of the last bucket that has a function on its callchain, and of the function's row. */
struct hist_last_seen {
	uint32_t bucket; /* number of that bucket, + 1 */
	uint32_t row;    /* number of the row in the current group, + 1; 0: not known yet */
};

/* Sum over the current buckets that pass through a path. */
struct path_sum {
	uint64_t period;
	uint32_t nr;
	uint32_t first_child, sibling; /* in lists of touched paths */
};

/* Sums over the tree of paths; all zero except for the touched paths. */
struct path_sums {
	TALLY_VEC(struct path_sum) at; /* by path, up to the capacity */
	TALLY_VEC(uint32_t) touched;
};

struct hist_builder {
	const struct tally_profile *profile;
	const struct tally_hist_options *options;
	struct tally_hist *hist;
	const struct tally_bucket *all; /* buckets of the profile or the selection */
	size_t nr_all;
	uint32_t *fkeys;     /* by frame, including that of hist_light_frame() */
	uint32_t *functions; /* by frame: representative of its function; NULL: the frame itself */
	uint8_t *parents; /* by frame: cached result of is_parent(); NULL unless TALLY_KEY_PARENT */
	struct tally_intern group_ids;
	struct tally_group last_group; /* group looked up last, without its thread */
	uint32_t last_group_id;
	uint32_t *first_rows;                  /* by fkey: its first row + 1; 0: none */
	struct tally_map row_ids;              /* group << 32 | fkey -> row, for other rows than the
	                                        * first */
	TALLY_VEC(struct hist_bucket) buckets; /* buckets of the event, sorted by group */
	struct hist_last_seen *met;            /* by fkey; only with children */
	TALLY_VEC(uint32_t) met_fkeys;         /* fkeys with a known row in the current group */
	struct tally_paths paths;              /* tree of the current group */
	struct path_sums group_sums;           /* sums of all buckets of the current group */
	struct path_sums row_sums;             /* sums of the buckets of one row */
	uint32_t *open;     /* by fkey: its number of occurrences on the path being walked */
	uint32_t *heavy_of; /* by fkey: its number + 1 among the heavy rows of the current group */
	TALLY_VEC(struct hist_heavy) heavy; /* rows with graphs, sorted by group and row */
	size_t next_heavy;                  /* index of the first one in the remaining groups */
};

/* A position in the tree of paths, and the part of its sum that belongs to the graph. */
struct hist_position {
	uint32_t path;
	uint32_t next; /* index + 1 of the next place of the same graph node; 0 ends the list */
	uint64_t period;
	uint64_t nr;
	const struct path_sums *sums; /* downwards: sums of the paths below */
};

struct hist_grower {
	struct hist_builder *builder;
	bool downwards;
	TALLY_VEC(struct hist_position) places;
	struct tally_map by_frame; /* node << 32 | frame -> child of the node */
	TALLY_VEC(uint32_t) heads; /* by graph node below the root: index + 1 of its first place */
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

/* Return the first of the outermost paths touched. */
static inline uint32_t hist_sum_root(const struct path_sums *sums)
{
	return sums->at.cap ? sums->at.data[0].first_child : TALLY_PATH_NONE;
}

/* Return the placeholder frame for functions that are in no graph. */
static inline uint32_t hist_light_frame(const struct hist_builder *builder)
{
	return (uint32_t)builder->profile->frames.all.len;
}

static inline const struct tally_bucket *hist_bucket(const struct hist_builder *builder, size_t i)
{
	return &builder->all[builder->buckets.data[i].bucket];
}

/* Compute the keys that frames share, as rows (fkeys) and as functions. Returns 0 or -ENOMEM. */
int hist_fkeys(struct hist_builder *builder);

/* Find the row of a group and a frame, or create it. Returns 0 or -ENOMEM. */
int hist_row(struct hist_builder *builder, uint32_t group, uint32_t frame, uint32_t *ret_row);

/* Sort the rows in display order. Returns 0 or -ENOMEM. */
int hist_rows_sort(struct hist_builder *builder);

/* Add the cost of callees to each row of one group, which has the buckets [first, last). Returns 0
 * or -ENOMEM. */
int hist_children(struct hist_builder *builder, size_t first, size_t last);

#endif
