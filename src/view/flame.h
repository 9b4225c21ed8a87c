/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flame graphs on a canvas: the cells of a call tree, one row per level with the root at the top.
 * The width of a cell is proportional to its share. The output depends only on the arguments.
 */
#ifndef TALLY_VIEW_FLAME_H
#define TALLY_VIEW_FLAME_H

#include "profile/graph/calltree.h"
#include "view/canvas.h"
#include "view/view.h"

struct tally_flame_cell {
	uint32_t node;  /* index of the node in the tree */
	uint32_t level; /* 0 for the root */
	uint32_t up;    /* parent cell; the root is its own parent */
	int column, columns;
	uint64_t from; /* start of the cell, between 0 and the root's period */
};

/* A tree's cells, sorted by level and, within a level, from left to right. */
struct tally_flame {
	TALLY_VEC(struct tally_flame_cell) cells;
	uint32_t levels;
};

/* Parameters for drawing a flame graph. */
struct tally_flame_look {
	const struct tally_profile *profile;
	const uint8_t *matches; /* 1 for frames that match the search; NULL without a search */
	const char *root;       /* label for a root without a function */
	uint32_t first_level;   /* level in the top row, or in the bottom row with `upwards` */
	bool upwards;
	uint32_t selected; /* cell index, or UINT32_MAX */
};

/* A rectangle on a canvas. */
struct tally_area {
	int row, column, rows, columns;
};

/* Compute the cells of a tree for a graph that is `columns` columns wide. Returns 0 or -ENOMEM. */
int tally_flame_lay_out(const struct tally_calltree *tree, int columns,
			struct tally_flame *ret_flame);
void tally_flame_free(struct tally_flame *flame);

void tally_flame_draw(const struct tally_flame *flame, const struct tally_calltree *tree,
		      const struct tally_flame_look *look, const struct tally_area *area,
		      struct tally_canvas *canvas);

/* Return the index of the cell at a level and column, or UINT32_MAX if there is none. */
uint32_t tally_flame_at(const struct tally_flame *flame, uint32_t level, int column);

/* Return the left edge of a cell, which separates cells even without colours. */
const char *tally_flame_edge(const struct tally_canvas *canvas);

/* Append a frame's label for flame graphs: the function name, or the file name if the code has no
 * symbol. The label is escaped and shortened to at most `columns` columns. */
void tally_flame_name(const struct tally_profile *profile, uint32_t frame, size_t columns,
		      const char *mark, struct tally_str *out);

/* Append " in FILE" if the frame's function has only an address for its name ("fn@42e0"), and if
 * there is space: several files can have such a function. Escaped, and shortened. */
void tally_flame_add_file(const struct tally_profile *profile, uint32_t frame, size_t columns,
			  const char *mark, struct tally_str *out);

/* Return a frame's ink. */
enum tally_ink tally_flame_ink(const struct tally_profile *profile, uint32_t frame);

#endif
