/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements common to all views of a browser: a title, a note, the current position, and a key
 * line. */
#ifndef TALLY_VIEW_PANEL_H
#define TALLY_VIEW_PANEL_H

#include "view/canvas.h"

/* Strings that are NULL are omitted. */
struct tally_panel {
	const char *title;
	const char *note;  /* line above the keys */
	const char *where; /* current position, right-aligned on the note's line */
	const char *bar;   /* key line: "h Help|q Quit"; in each word the key precedes the blank */
};

/* Rows of a canvas that are available to the view: the first row, and the row after the last
 * one. */
struct tally_panel_rows {
	int top, bottom;
};

/* Return the rows available to the view on a canvas with `rows` rows. If the canvas is too small,
 * the note and the keys are omitted. */
struct tally_panel_rows tally_panel_rows(int rows);

/* Return the word at `column` in a key line that is `columns` wide, or NULL. The returned string
 * continues to the end of the key line. */
const char *tally_panel_bar_at(const char *bar, int columns, int column);

/* Draw a panel. If not all keys fit, the last key takes precedence over the others. */
void tally_panel_draw(const struct tally_panel *panel, struct tally_canvas *canvas);

#endif
