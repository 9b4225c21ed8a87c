/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flame graphs on a canvas: a call tree as cells, a level each row, the root at the top, each as
 * wide as its share. What is drawn depends on the arguments alone.
 */
#ifndef TALLY_VIEW_FLAME_H
#define TALLY_VIEW_FLAME_H

#include "profile/calltree.h"
#include "view/canvas.h"
#include "view/view.h"

struct tally_flame_cell {
	uint32_t node;  /* of the tree */
	uint32_t level; /* 0: the root */
	uint32_t up;    /* the cell it stands on, itself for the root */
	int column, columns;
	uint64_t from; /* where it begins, as columns are shares of the root's period */
};

/* Cells of a tree, by level and from left to right. */
struct tally_flame {
	TALLY_VEC(struct tally_flame_cell) cells;
	uint32_t levels;
};

/* How a flame graph looks. */
struct tally_flame_look {
	const struct tally_profile *profile;
	const uint8_t *matches; /* by frame: it is searched for; NULL: nothing is */
	const char *root;       /* what the root is called that has no function */
	uint32_t first_level;   /* the level in the top row, or with `upwards` in the bottom one */
	bool upwards;
	uint32_t selected; /* a cell, or UINT32_MAX */
};

/* A rectangle of a canvas. */
struct tally_area {
	int row, column, rows, columns;
};

/* Find the cells of a tree in so many columns. 0 or -ENOMEM. */
int tally_flame_lay_out(const struct tally_calltree *tree, int columns,
			struct tally_flame *ret_flame);
void tally_flame_free(struct tally_flame *flame);

void tally_flame_draw(const struct tally_flame *flame, const struct tally_calltree *tree,
		      const struct tally_flame_look *look, const struct tally_area *area,
		      struct tally_canvas *canvas);

/* The cell at a place of the area; UINT32_MAX: there is none. */
uint32_t tally_flame_at(const struct tally_flame *flame, uint32_t level, int column);

/* The name of a function as flame graphs show it: code without names is that of its file. Escaped
 * and in at most so many columns. */
void tally_flame_name(const struct tally_profile *profile, uint32_t frame, size_t columns,
		      const char *mark, struct tally_str *out);

/* By which a frame is coloured. */
enum tally_ink tally_flame_ink(const struct tally_profile *profile, uint32_t frame);

#endif
