/* SPDX-License-Identifier: BSD-2-Clause */
/* State used while building rows and graphs. */
#ifndef TALLY_PROFILE_HIST_PRIVATE_H
#define TALLY_PROFILE_HIST_PRIVATE_H

#include "profile/hist.h"
#include "profile/profile_path.h"
#include "profile/selection.h"

struct hist_bucket {
	uint32_t bucket; /* index in builder->all */
	uint32_t group, row;
	uint32_t path; /* the bucket's callchain, in the tree of the current group */
};

/* A row heavy enough for a graph. */
struct hist_heavy {
	uint32_t group, row;
};

/* Cached for a function: the last bucket with the function on its callchain, and the function's
 * row. */
struct hist_last_seen {
	uint32_t bucket; /* index of the bucket + 1 */
	uint32_t row;    /* index of the row in the current group + 1; 0 if not known yet */
};

/* Sum over the current buckets that have a callchain through a given path. */
struct path_sum {
	uint64_t period;
	uint32_t nr;
	uint32_t first_child, sibling; /* links in the lists of touched paths */
};

/* Sums over the tree of paths; all zero except for the touched paths. */
struct path_sums {
	TALLY_VEC(struct path_sum) at; /* indexed by path, up to the vector's capacity */
	TALLY_VEC(uint32_t) touched;
};

struct hist_builder {
	const struct tally_profile *profile;
	const struct tally_hist_options *options;
	struct tally_hist *hist;
	const struct tally_bucket *all; /* buckets of the profile or the selection */
	size_t nr_all;
	uint32_t *fkeys;     /* indexed by frame, including hist_light_frame() */
	uint32_t *functions; /* first frame of each frame's node in graphs; NULL if all differ */
	uint8_t *parents;    /* cached is_parent() results, by frame; only for TALLY_KEY_PARENT */
	struct tally_intern group_ids;
	struct tally_group last_group; /* last group looked up, without its thread */
	uint32_t last_group_id;
	uint32_t *first_rows;                  /* index + 1 of each fkey's first row, or 0 */
	struct tally_map row_ids;              /* an fkey's other rows, by group << 32 | fkey */
	TALLY_VEC(struct hist_bucket) buckets; /* buckets of the event, sorted by group */
	struct hist_last_seen *met;            /* indexed by fkey; only if `children` is set */
	TALLY_VEC(uint32_t) met_fkeys;         /* fkeys with a known row in the current group */
	struct tally_paths paths;              /* tree of paths in the current group */
	struct path_sums group_sums;           /* sums over the current group's buckets */
	struct path_sums row_sums;             /* sums over one row's buckets */
	uint32_t *open;     /* each fkey's number of occurrences on the path being walked */
	uint32_t *heavy_of; /* each fkey's index + 1 among the current group's heavy rows, or 0 */
	TALLY_VEC(struct hist_heavy) heavy; /* rows with graphs, sorted by group and row */
	size_t next_heavy;                  /* index of the first row in the remaining groups */
};

/* A position in the tree of paths, and the part of the path's sum that belongs to the graph. */
struct hist_position {
	uint32_t path;
	uint32_t next; /* index + 1 of the graph node's next place; 0 ends the list */
	uint64_t period;
	uint64_t nr;
	const struct path_sums *sums; /* in downward graphs: sums of the paths below */
};

struct hist_grower {
	struct hist_builder *builder;
	bool downwards;
	TALLY_VEC(struct hist_position) places;
	struct tally_map by_frame; /* maps node << 32 | frame to the node's child */
	TALLY_VEC(uint32_t) heads; /* index + 1 of the first place of each node below the root */
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

/* Return the first of the outermost touched paths. */
static inline uint32_t hist_sum_root(const struct path_sums *sums)
{
	return sums->at.cap ? sums->at.data[0].first_child : TALLY_PATH_NONE;
}

/* Return the placeholder frame for functions that are not in any graph. */
static inline uint32_t hist_light_frame(const struct hist_builder *builder)
{
	return (uint32_t)builder->profile->frames.all.len;
}

static inline const struct tally_bucket *hist_bucket(const struct hist_builder *builder, size_t i)
{
	return &builder->all[builder->buckets.data[i].bucket];
}

/* Compute the per-frame keys that group frames into rows (fkeys) and into functions. Returns 0 or
 * -ENOMEM. */
int hist_fkeys(struct hist_builder *builder);

/* Find or create the row for a group and a frame. Returns 0 or -ENOMEM. */
int hist_row(struct hist_builder *builder, uint32_t group, uint32_t frame, uint32_t *ret_row);

/* Sort the rows in display order. Returns 0 or -ENOMEM. */
int hist_rows_sort(struct hist_builder *builder);

/* Add the cost of callees to each row in the group with the buckets [first, last). Returns 0 or
 * -ENOMEM. */
int hist_children(struct hist_builder *builder, size_t first, size_t last);

#endif
