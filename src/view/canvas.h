/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen as a grid of glyphs, each with its ink: what is drawn into it is known before any
 * terminal sees it. Not thread-safe.
 */
#ifndef TALLY_VIEW_CANVAS_H
#define TALLY_VIEW_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* What a glyph is drawn with; a terminal decides how that looks. */
enum tally_ink {
	TALLY_INK_PLAIN,
	TALLY_INK_HOT,     /* a large share */
	TALLY_INK_WARM,    /* one worth looking at */
	TALLY_INK_DIM,     /* of less interest */
	TALLY_INK_TITLE,   /* the first line */
	TALLY_INK_HEADING, /* of columns */
	TALLY_INK_BAR,     /* the line of keys */
	TALLY_INK_KEY,     /* a key in it */
	TALLY_INK_NOTE,    /* what is said or asked */
	TALLY_INK_POPUP,
	TALLY_INK_MATCH, /* of flame graphs: what is searched for; and by kind, two shades each: */
	TALLY_INK_USER,
	TALLY_INK_USER_OTHER,
	TALLY_INK_LIBRARY,
	TALLY_INK_LIBRARY_OTHER,
	TALLY_INK_KERNEL,
	TALLY_INK_KERNEL_OTHER,
	TALLY_INK_JIT,
	TALLY_INK_JIT_OTHER,
	TALLY_INK_INLINED,
	TALLY_INK_INLINED_OTHER,
	TALLY_INK_UNKNOWN,
	TALLY_INK_UNKNOWN_OTHER,
	TALLY_NR_INKS,
};

struct tally_glyph {
	char bytes[12]; /* UTF-8 with what joins it, with a NUL; "" behind a wide glyph */
	uint8_t ink;    /* enum tally_ink */
	bool is_selected;
};

/* All zero: no canvas. */
struct tally_canvas {
	int rows, columns;
	bool is_ascii; /* glyphs beyond ASCII become "?", an ellipsis ".." */
	struct tally_glyph *glyphs;
};

/* Make it so large, and empty. 0 or -ENOMEM, then it has no rows. */
int tally_canvas_reset(struct tally_canvas *canvas, int rows, int columns);
void tally_canvas_free(struct tally_canvas *canvas);

/* What stands on it for text that is left out. */
const char *tally_canvas_mark(const struct tally_canvas *canvas);

/* Draw text at a place, into at most `limit` columns; what does not fit is cut, with an ellipsis.
 * Places outside of the canvas take nothing. The column behind it. */
int tally_canvas_put(struct tally_canvas *canvas, int row, int column, int limit, const char *text,
		     enum tally_ink ink);

/* Blanks of an ink. */
void tally_canvas_fill(struct tally_canvas *canvas, int row, int column, int columns,
		       enum tally_ink ink);

/* Mark a whole row as the one that is selected. */
void tally_canvas_select(struct tally_canvas *canvas, int row);

/* The same of some columns of it. */
void tally_canvas_select_part(struct tally_canvas *canvas, int row, int column, int columns);

/* What a box takes beside and above its lines: frame and blanks. */
enum { TALLY_BOX_SIDES = 4, TALLY_BOX_EDGES = 2 };

/* Text over what is there: a title in the frame above it, a foot in the frame below. */
struct tally_box {
	const char *title, *foot;
	const char *const *lines;
	size_t nr, first; /* those from `first` on are in sight, as many as fit */
};

/* Draw one in the middle, as wide as its widest line. */
void tally_canvas_box(struct tally_canvas *canvas, const struct tally_box *box);

/* The glyph at a place of the canvas. */
const struct tally_glyph *tally_canvas_at(const struct tally_canvas *canvas, int row, int column);

/* A row as text, without the blanks at its end. */
void tally_canvas_text(const struct tally_canvas *canvas, int row, struct tally_str *out);

#endif
