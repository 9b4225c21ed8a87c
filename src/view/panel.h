/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands around every view of a browser: a title, a note with where one is, keys. */
#ifndef TALLY_VIEW_PANEL_H
#define TALLY_VIEW_PANEL_H

#include "view/canvas.h"

/* Texts that are NULL are not there. */
struct tally_panel {
	const char *title;
	const char *note;  /* the line above the keys */
	const char *where; /* at its right */
	const char *bar;   /* keys: "h Help|q Quit", each up to its blank as a key */
};

/* The rows of a canvas that are left for the view itself: where it begins, and the row behind it.
 */
struct tally_panel_room {
	int top, bottom;
};

/* How much room there is on a canvas of so many rows; where there are few, note and keys go. */
struct tally_panel_room tally_panel_room(int rows);

/* The word of a line of keys that stands at a column, of so many, with what follows it; NULL: none
 * does. */
const char *tally_panel_bar_at(const char *bar, int columns, int column);

/* Draw it. Of the keys those that fit, and always the last one. */
void tally_panel_draw(const struct tally_panel *panel, struct tally_canvas *canvas);

#endif
