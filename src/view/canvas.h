/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen as a grid of glyphs, each with an ink. It can be inspected without a terminal. Not
 * thread-safe.
 */
#ifndef TALLY_VIEW_CANVAS_H
#define TALLY_VIEW_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Style of a glyph; the terminal determines its appearance. */
enum tally_ink {
	TALLY_INK_PLAIN,
	TALLY_INK_HOT,     /* a large share */
	TALLY_INK_WARM,    /* a noticeable share */
	TALLY_INK_DIM,     /* of less interest */
	TALLY_INK_TITLE,   /* the first line */
	TALLY_INK_HEADING, /* column headings */
	TALLY_INK_BAR,     /* key line */
	TALLY_INK_KEY,     /* a key in the key line */
	TALLY_INK_NOTE,    /* a message or a question */
	TALLY_INK_POPUP,
	TALLY_INK_MATCH, /* flame graphs: search matches, then two shades of each kind */
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
	char bytes[12]; /* UTF-8 with combining characters, NUL-terminated; "" after a wide glyph */
	uint8_t ink;    /* enum tally_ink */
	bool is_selected;
};

/* An all-zero struct is a canvas without rows. */
struct tally_canvas {
	int rows, columns;
	bool is_ascii; /* replace non-ASCII glyphs with "?", and an ellipsis with ".." */
	struct tally_glyph *glyphs;
};

/* Resize and clear a canvas. Returns 0. On failure, returns -ENOMEM and leaves the canvas without
 * rows. */
int tally_canvas_reset(struct tally_canvas *canvas, int rows, int columns);
void tally_canvas_free(struct tally_canvas *canvas);

/* Return the mark for omitted text. */
const char *tally_canvas_mark(const struct tally_canvas *canvas);

/* Draw text at a position, in at most `limit` columns. Longer text is truncated with an ellipsis.
 * Text outside the canvas is ignored. Returns the column after the drawn text. */
int tally_canvas_draw(struct tally_canvas *canvas, int row, int column, int limit, const char *text,
		      enum tally_ink ink);

/* Draw blanks with an ink. */
void tally_canvas_fill(struct tally_canvas *canvas, int row, int column, int columns,
		       enum tally_ink ink);

/* Mark a whole row as selected. */
void tally_canvas_select(struct tally_canvas *canvas, int row);

/* Mark some columns of a row as selected. */
void tally_canvas_select_part(struct tally_canvas *canvas, int row, int column, int columns);

/* Columns and rows that the frame and blanks add to a box's text. */
enum { TALLY_BOX_SIDES = 4, TALLY_BOX_EDGES = 2 };

/* A text box drawn over the canvas, with a title in the top edge of its frame and a footer in the
 * bottom edge. */
struct tally_box {
	const char *title, *foot;
	const char *const *lines;
	size_t nr, first; /* as many lines as fit are shown, starting with `first` */
};

/* Draw a box as wide as its widest line in the middle of the canvas. */
void tally_canvas_box(struct tally_canvas *canvas, const struct tally_box *box);

/* Return the glyph at a position on the canvas. */
const struct tally_glyph *tally_canvas_at(const struct tally_canvas *canvas, int row, int column);

/* Append a row as text, without trailing blanks. */
void tally_canvas_text(const struct tally_canvas *canvas, int row, struct tally_str *out);

#endif
