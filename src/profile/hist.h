/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of a report: the buckets of one event summed up by sort keys, with or without what the
 * functions called by a row's function cost ("children"), and a call graph for each.
 */
#ifndef TALLY_PROFILE_HIST_H
#define TALLY_PROFILE_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

struct tally_selection;

/* What rows are told apart by. */
enum {
	TALLY_KEY_COMM = 1 << 0,
	TALLY_KEY_PID = 1 << 1,
	TALLY_KEY_TID = 1 << 2,
	TALLY_KEY_CPU = 1 << 3,
	TALLY_KEY_DSO = 1 << 4,
	TALLY_KEY_SYMBOL = 1 << 5,
	TALLY_KEY_PARENT = 1 << 6,
	TALLY_KEY_LABEL = 1 << 7,
	TALLY_KEY_LINE = 1 << 8, /* of source; of a profile with TALLY_LINES_ALL */
	TALLY_KEY_FILE = 1 << 9, /* of source; the same */
};

/* A frame that stands for nothing, e.g. "no caller matches". */
#define TALLY_FRAME_NONE UINT32_MAX

enum tally_graph_order {
	TALLY_GRAPH_CALLER, /* from the outermost caller, or the row's function, downwards */
	TALLY_GRAPH_CALLEE, /* from the row's function to its callers */
};

/* A node of a call graph; lists by index into tally_hist.graph, 0 ends them. */
struct tally_graph_node {
	uint32_t frame;
	uint32_t first_child, next_sibling;
	uint64_t period; /* of this node and all below */
	uint64_t nr;
	uint64_t self; /* of paths that end here */
	uint64_t self_nr;
};

struct tally_row {
	uint32_t group; /* index into tally_hist.groups: everything but the function */
	uint32_t frame; /* one of the row's functions */
	uint32_t fkey;  /* what its functions have in common */
	uint32_t graph; /* a node whose children are the roots of the graph; 0: none */
	uint64_t self, self_nr;
	uint64_t total, total_nr; /* with children; else the same as self */
	uint32_t depth; /* with children: frames of its longest callchain, in the graphs' order */
};

struct tally_group {
	uint32_t comm, cpu;
	int32_t pid, tid;
	uint32_t thread; /* index of one of its threads */
	uint32_t parent; /* frame of the caller that matched, or TALLY_FRAME_NONE */
	uint32_t label;
};

struct tally_hist_options {
	unsigned keys;      /* TALLY_KEY_* */
	bool children;      /* needs paths */
	bool joins_unnamed; /* code without names is one function in each file, as in tally_chains,
			     * not one at each address; for TALLY_KEY_SYMBOL */
	bool has_paths;     /* files of source are told apart by their directories, too */
	/* TALLY_KEY_LABEL: what labels stand for, by which rows are put in order; must outlive it.
	 */
	const struct tally_intern *labels;
	/* TALLY_KEY_PARENT: whether a function is one of the callers looked for. */
	bool (*is_parent)(void *arg, const char *symbol);
	/* What counts instead of all buckets of the event; NULL: those. */
	const struct tally_selection *selection;
	/* Which of the buckets count; NULL: all. */
	bool (*wants)(void *arg, const struct tally_bucket_key *key);
	void *arg; /* of both */
	/* Graphs (with paths only) for rows of at least `graph_min` of the total period. */
	bool graphs;
	enum tally_graph_order order;
	uint64_t graph_min;
};

struct tally_hist {
	TALLY_VEC(struct tally_row) rows; /* heaviest first */
	TALLY_VEC(struct tally_group) groups;
	TALLY_VEC(struct tally_graph_node) graph; /* [0] is not used */
};

/* Sum up the buckets of `event`. `*ret_hist` is filled; free it with tally_hist_free().
 * 0 or -ENOMEM. */
int tally_hist_build(struct tally_profile *profile, uint32_t event,
		     const struct tally_hist_options *options, struct tally_hist *ret_hist);
void tally_hist_free(struct tally_hist *hist);

/* Mark in a profile with a second pass the buckets of `event` whose rows will have graphs by
 * `options`, in which there are no children. 0 or -ENOMEM. */
int tally_hist_mark(struct tally_profile *profile, uint32_t event,
		    const struct tally_hist_options *options);

#endif
