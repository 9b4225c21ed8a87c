/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of a report: the buckets of one event, summed by sort keys. Optionally, the rows include the
 * cost of callees ("children") and have call graphs.
 */
#ifndef TALLY_PROFILE_HIST_H
#define TALLY_PROFILE_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile_model.h"

struct tally_selection;

/* Sort keys, which distinguish rows. */
enum {
	TALLY_KEY_COMM = 1 << 0,
	TALLY_KEY_PID = 1 << 1,
	TALLY_KEY_TID = 1 << 2,
	TALLY_KEY_CPU = 1 << 3,
	TALLY_KEY_DSO = 1 << 4,
	TALLY_KEY_SYMBOL = 1 << 5,
	TALLY_KEY_PARENT = 1 << 6,
	TALLY_KEY_LABEL = 1 << 7,
	TALLY_KEY_LINE = 1 << 8, /* source line; requires a profile with TALLY_LINES_ALL */
	TALLY_KEY_FILE = 1 << 9, /* source file; also requires TALLY_LINES_ALL */
};

/* Return the TALLY_BY_* properties by which a profile must distinguish samples for rows with these
 * keys, and the source lines (TALLY_LINES_*) that it must look up. */
unsigned tally_keys_by(unsigned keys);
unsigned tally_keys_lines(unsigned keys);

/* Placeholder for a missing frame, for example if no caller matches. */
#define TALLY_FRAME_NONE UINT32_MAX

enum tally_graph_order {
	TALLY_GRAPH_CALLER, /* from the outermost caller, or the row's function, to its callees */
	TALLY_GRAPH_CALLEE, /* from the row's function to its callers */
};

/* Keys of the nodes of a call graph. Lines and addresses require a profile with
 * TALLY_LINES_ALL. */
enum tally_graph_key {
	TALLY_GRAPH_FUNCTION,
	TALLY_GRAPH_LINE, /* source line */
	TALLY_GRAPH_ADDRESS,
};

/* A node of a call graph. Lists are linked by their index in tally_hist.graph, and end with 0. */
struct tally_graph_node {
	uint32_t frame;
	uint32_t first_child, next_sibling;
	uint64_t period; /* of this node and all nodes below it */
	uint64_t nr;
	uint64_t self; /* of paths that end here */
	uint64_t self_nr;
};

struct tally_row {
	uint32_t group; /* index in tally_hist.groups: all keys except the function */
	uint32_t frame; /* one of the row's functions */
	uint32_t fkey;  /* key shared by all of the row's functions */
	uint32_t graph; /* parent of the graph's roots; 0 if there is no graph */
	uint64_t self, self_nr;
	uint64_t total, total_nr; /* self plus callees if `children` is set, otherwise self */
	uint32_t depth;  /* if `children` is set: maximum callchain length in the row's graph */
	uint32_t number; /* see tally_hist_part() and tally_hist_member_row() */
};

/* A row's sums for another event of the group. */
struct tally_row_sums {
	uint64_t self, self_nr, total, total_nr;
};

/* The sums for another event of the group, indexed by row number. Rows without samples of the event
 * may be missing. */
struct tally_hist_member {
	TALLY_VEC(struct tally_row_sums) sums;
	TALLY_VEC(uint64_t) parts; /* as in struct tally_hist */
};

struct tally_group {
	uint32_t comm, cpu;
	int32_t pid, tid;
	uint32_t thread; /* index of one of the group's threads */
	uint32_t parent; /* frame of the caller that matched, or TALLY_FRAME_NONE */
	uint32_t label;
};

/* A sum of a row. */
enum tally_hist_sum {
	TALLY_SUM_SELF, /* period of the row's own samples */
	TALLY_SUM_TOTAL,
	TALLY_SUM_SAMPLES, /* number of the row's own samples */
	TALLY_SUM_PART,    /* an additional sum */
	TALLY_SUM_NONE,    /* the same for all rows */
};

/* A sum by which rows are sorted. */
struct tally_hist_order {
	enum tally_hist_sum sum;
	unsigned part; /* for TALLY_SUM_PART: see tally_hist_part() */
};

enum { TALLY_HIST_ORDERS = 3 };

struct tally_hist_options {
	unsigned keys; /* TALLY_KEY_* */
	bool children; /* include callees in totals; requires paths */
	/* For TALLY_KEY_SYMBOL: treat code without symbols as one function per file, as in
	 * tally_chains, not as one per address. */
	bool joins_unnamed;
	bool has_paths; /* source files are also distinguished by directory */
	/* TALLY_KEY_LABEL: label strings, by which the rows are sorted. Must outlive the rows. */
	const struct tally_intern *labels;
	/* TALLY_KEY_PARENT: returns true if a function is one of the callers to group by. */
	bool (*is_parent)(void *arg, const char *symbol);
	/* Selection to sum up, or NULL for all buckets of the event. */
	const struct tally_selection *selection;
	/* Returns true if a bucket is to be counted. NULL counts all buckets. */
	bool (*wants)(void *arg, const struct tally_bucket_key *key);
	/* Number of additional sums of each row, at most 32, and what a bucket adds to one of
	 * them. */
	unsigned nr_parts;
	uint64_t (*part)(void *arg, unsigned part, const struct tally_bucket *bucket);
	/* Sums by which rows are sorted, in descending order; 0 to sort by the period. */
	struct tally_hist_order orders[TALLY_HIST_ORDERS];
	unsigned nr_orders;
	bool by_name; /* sort only by the keys */
	/* TALLY_KEY_LABEL: returns the label by which a bucket's row is distinguished. NULL for the
	 * bucket's label. */
	uint32_t (*row_label)(void *arg, uint32_t label);
	void *arg; /* argument of the callbacks */
	/* Other events that are summed up by the same rows, in addition to the event of the rows.
	 * They break ties when rows are sorted; `first_member` is compared before the event of the
	 * rows, counted from 1, or is 0. */
	const uint32_t *members;
	uint32_t nr_members, first_member;
	/* Build graphs for rows with a total period of at least `graph_min`. Requires paths. */
	bool graphs;
	enum tally_graph_order order;
	enum tally_graph_key graph_key;
	uint64_t graph_min;
};

struct tally_hist {
	TALLY_VEC(struct tally_row) rows; /* heaviest first */
	TALLY_VEC(struct tally_group) groups;
	TALLY_VEC(struct tally_graph_node) graph; /* [0] is unused */
	unsigned nr_parts;
	TALLY_VEC(uint64_t) parts; /* `nr_parts` for each row, by number of the row */
	TALLY_VEC(struct tally_hist_member) members;
};

/* Return the same row of member number `member`. */
struct tally_row tally_hist_member_row(const struct tally_hist *hist, const struct tally_row *row,
				       uint32_t member);

/* Return an additional sum of a row; callees are not included. */
static inline uint64_t tally_hist_part(const struct tally_hist *hist, const struct tally_row *row,
				       unsigned part)
{
	size_t at = (size_t)row->number * hist->nr_parts + part;

	return at < hist->parts.len ? hist->parts.data[at] : 0;
}

/* Finish the profile, and sum up the buckets of `event`. The caller frees `*ret_hist` with
 * tally_hist_free(). Returns 0 or -ENOMEM. */
int tally_hist_build(struct tally_profile *profile, uint32_t event,
		     const struct tally_hist_options *options, struct tally_hist *ret_hist);
void tally_hist_free(struct tally_hist *hist);

/* In a profile with a second pass, mark the buckets of `event` that belong to rows that will have
 * graphs. `options` must not have `children` set. Returns 0 or -ENOMEM. */
int tally_hist_mark(struct tally_profile *profile, uint32_t event,
		    const struct tally_hist_options *options);

#endif
