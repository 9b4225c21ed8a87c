/* SPDX-License-Identifier: BSD-2-Clause */
/* State while rows and graphs are being made. */
#ifndef TALLY_PROFILE_HIST_PRIVATE_H
#define TALLY_PROFILE_HIST_PRIVATE_H

#include "profile/hist.h"

struct hist_cell {
	uint32_t cell; /* index into profile->cells */
	uint32_t group, row;
};

/* A row heavy enough for a graph. */
struct hist_heavy {
	uint32_t group, row;
};

/* Per path, of the cells at work: what passes through it. */
struct path_sum {
	uint64_t period;
	uint32_t nr;
	uint32_t first_child, sibling; /* among the paths touched */
};

/* Sums over the tree of paths; all zero but for the paths touched. */
struct path_sums {
	struct path_sum *at; /* by path */
	TALLY_VEC(uint32_t) touched;
};

struct hist_builder {
	const struct tally_profile *profile;
	const struct tally_hist_options *options;
	struct tally_hist *hist;
	uint32_t *fkeys;   /* by frame */
	uint32_t *parents; /* by path: frame of the caller that matched; NULL without that key */
	struct tally_intern group_ids;
	struct tally_group last_group; /* looked up last, without its thread */
	uint32_t last_group_id;
	uint32_t *first_rows;              /* by fkey: its first row + 1; 0: none */
	struct tally_map row_ids;          /* group << 32 | fkey -> row, of other rows */
	TALLY_VEC(struct hist_cell) cells; /* of the event, by group */
	struct path_sums group_sums;       /* of all cells of the group at work */
	struct path_sums row_sums;         /* of the cells of one row */
	uint32_t *open;                    /* by fkey: how often it is on the path being walked */
	uint32_t *row_of; /* by fkey: its row in the group at work + 1; 0: not known yet */
	TALLY_VEC(struct hist_heavy) heavy; /* rows with graphs, by group and row */
	size_t next_heavy;                  /* the first of the groups to come */
};

/* The row of a group and a frame, made if new. 0 or -ENOMEM. */
int hist_row(struct hist_builder *builder, uint32_t group, uint32_t frame, uint32_t *ret_row);

/* Add a cell's path to the sums (or take it away again), all the way up. 0 or -ENOMEM. */
int hist_sum_add(struct hist_builder *builder, struct path_sums *sums,
		 const struct tally_cell *cell);
void hist_sum_take(struct hist_builder *builder, struct path_sums *sums,
		   const struct tally_cell *cell);

/* Give back what was taken: cannot fail. */
void hist_sum_return(struct hist_builder *builder, struct path_sums *sums,
		     const struct tally_cell *cell);

/* Make the paths touched a tree that can be walked downwards; path 0 is its root. */
void hist_sum_link(struct hist_builder *builder, struct path_sums *sums);
void hist_sum_clear(struct path_sums *sums);

/* Walk the tree of sums downwards, calling `visit` for each path; `outermost` tells that no
 * caller on it has the same fkey. 0, -ENOMEM, or what visit returned. */
int hist_walk(struct hist_builder *builder, struct path_sums *sums,
	      int (*visit)(struct hist_builder *builder, uint32_t path, bool outermost, void *arg),
	      void *arg);

/* Find the rows that get graphs. 0 or -ENOMEM. */
int hist_graph_heavy(struct hist_builder *builder);

/* Whether any of them is in the group; asked of each group with cells, in ascending order. */
bool hist_graph_wants(struct hist_builder *builder, uint32_t group);

/* Graphs of the heavy rows of the group whose cells are [first, last); group_sums hold the
 * group, linked, if the options say children. */
int hist_graph_group(struct hist_builder *builder, size_t first, size_t last);

static inline const struct tally_path *hist_path(const struct hist_builder *builder, uint32_t path)
{
	return &builder->profile->paths.paths.data[path];
}

static inline uint32_t hist_path_fkey(const struct hist_builder *builder, uint32_t path)
{
	return builder->fkeys[hist_path(builder, path)->frame];
}

static inline const struct tally_cell *hist_cell(const struct hist_builder *builder, size_t i)
{
	return &builder->profile->cells.data[builder->cells.data[i].cell];
}

#endif
