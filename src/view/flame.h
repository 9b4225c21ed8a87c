/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flame graphs on a canvas: a call tree as cells, one row for each level with the root at the top,
 * each cell as wide as its share. What is drawn depends only on the arguments.
 */
#ifndef TALLY_VIEW_FLAME_H
#define TALLY_VIEW_FLAME_H

#include "profile/calltree.h"
#include "view/canvas.h"
#include "view/view.h"

struct tally_flame_cell {
	uint32_t node;  /* number of the tree's node */
	uint32_t level; /* 0: the root */
	uint32_t up;    /* the parent cell; for the root, itself */
	int column, columns;
	uint64_t from; /* start, on a scale from 0 to the root's period */
};

/* Cells of a tree, sorted by level and from left to right. */
struct tally_flame {
	TALLY_VEC(struct tally_flame_cell) cells;
	uint32_t levels;
};

/* Appearance of a flame graph. */
struct tally_flame_look {
	const struct tally_profile *profile;
	const uint8_t *matches; /* by frame: 1 if it matches the search; NULL: no search */
	const char *root;       /* name of a root without a function */
	uint32_t first_level;   /* level in the top row; with `upwards`, in the bottom row */
	bool upwards;
	uint32_t selected; /* a cell, or UINT32_MAX */
};

/* A rectangle of a canvas. */
struct tally_area {
	int row, column, rows, columns;
};

/* Compute the cells of a tree in `columns` columns. Returns 0 or -ENOMEM. */
int tally_flame_lay_out(const struct tally_calltree *tree, int columns,
			struct tally_flame *ret_flame);
void tally_flame_free(struct tally_flame *flame);

void tally_flame_draw(const struct tally_flame *flame, const struct tally_calltree *tree,
		      const struct tally_flame_look *look, const struct tally_area *area,
		      struct tally_canvas *canvas);

/* Return the cell at a level and column, or UINT32_MAX. */
uint32_t tally_flame_at(const struct tally_flame *flame, uint32_t level, int column);

/* Append the name of a function in flame graphs; for code without a symbol it is the file's. It is
 * escaped, and has at most `columns` columns. */
void tally_flame_name(const struct tally_profile *profile, uint32_t frame, size_t columns,
		      const char *mark, struct tally_str *out);

/* Return the ink of a frame. */
enum tally_ink tally_flame_ink(const struct tally_profile *profile, uint32_t frame);

#endif
