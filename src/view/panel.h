/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements around every view of a browser: a title, a note with the current position, keys. */
#ifndef TALLY_VIEW_PANEL_H
#define TALLY_VIEW_PANEL_H

#include "view/canvas.h"

/* NULL texts are omitted. */
struct tally_panel {
	const char *title;
	const char *note;  /* line above the keys */
	const char *where; /* at the right end of that line */
	const char *bar;   /* keys: "h Help|q Quit"; in each word the key is before the blank */
};

/* Rows of a canvas for the view itself: the first one, and the one after the last one. */
struct tally_panel_rows {
	int top, bottom;
};

/* Return the rows for the view on a canvas with `rows` rows. If there are few, note and keys are
 * omitted. */
struct tally_panel_rows tally_panel_rows(int rows);

/* Return the word of a key line at `column`, followed by the rest of the line, or NULL. The line is
 * `columns` wide. */
const char *tally_panel_bar_at(const char *bar, int columns, int column);

/* Draw a panel. Only the keys that fit are drawn, and always the last one. */
void tally_panel_draw(const struct tally_panel *panel, struct tally_canvas *canvas);

#endif
