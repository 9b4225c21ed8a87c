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

/* Style of a glyph; the terminal decides how it looks. */
enum tally_ink {
	TALLY_INK_PLAIN,
	TALLY_INK_HOT,     /* a large share */
	TALLY_INK_WARM,    /* a noticeable share */
	TALLY_INK_DIM,     /* of less interest */
	TALLY_INK_TITLE,   /* the first line */
	TALLY_INK_HEADING, /* column headings */
	TALLY_INK_BAR,     /* line of keys */
	TALLY_INK_KEY,     /* a key in it */
	TALLY_INK_NOTE,    /* a message or a question */
	TALLY_INK_POPUP,
	TALLY_INK_MATCH, /* flame graphs: search matches; then two shades for each kind: */
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

/* All zero is a canvas without rows. */
struct tally_canvas {
	int rows, columns;
	bool is_ascii; /* replace glyphs beyond ASCII by "?", and an ellipsis by ".." */
	struct tally_glyph *glyphs;
};

/* Set the size of a canvas, and clear it. Returns 0, or -ENOMEM; then it has no rows. */
int tally_canvas_reset(struct tally_canvas *canvas, int rows, int columns);
void tally_canvas_free(struct tally_canvas *canvas);

/* Return the mark for omitted text. */
const char *tally_canvas_mark(const struct tally_canvas *canvas);

/* Draw text at a position, in at most `limit` columns; longer text is truncated with an ellipsis.
 * Text outside the canvas is ignored. Returns the column after the text. */
int tally_canvas_draw(struct tally_canvas *canvas, int row, int column, int limit, const char *text,
		      enum tally_ink ink);

/* Draw blanks with an ink. */
void tally_canvas_fill(struct tally_canvas *canvas, int row, int column, int columns,
		       enum tally_ink ink);

/* Mark a whole row as selected. */
void tally_canvas_select(struct tally_canvas *canvas, int row);

/* Mark some columns of a row as selected. */
void tally_canvas_select_part(struct tally_canvas *canvas, int row, int column, int columns);

/* Space that a box needs in addition to its lines: frame and blanks. */
enum { TALLY_BOX_SIDES = 4, TALLY_BOX_EDGES = 2 };

/* A box of text over the canvas, with a title in its upper frame and a foot in its lower frame. */
struct tally_box {
	const char *title, *foot;
	const char *const *lines;
	size_t nr, first; /* lines from `first` on are shown, as many as fit */
};

/* Draw a box in the middle, as wide as its widest line. */
void tally_canvas_box(struct tally_canvas *canvas, const struct tally_box *box);

/* Return the glyph at a position of the canvas. */
const struct tally_glyph *tally_canvas_at(const struct tally_canvas *canvas, int row, int column);

/* Append a row as text, without trailing blanks. */
void tally_canvas_text(const struct tally_canvas *canvas, int row, struct tally_str *out);

#endif
