/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen of a live profile: draws rows on a canvas, according to the user's choices. The result
 * depends only on the arguments. Not thread-safe.
 */
#ifndef TALLY_VIEW_SCREEN_H
#define TALLY_VIEW_SCREEN_H

#include "base/map.h"
#include "view/panel.h"
#include "view/view.h"

/* A line of the list: a row, or a node of the call graph below it. */
struct tally_screen_line {
	uint32_t row;
	uint32_t node;  /* 0: the row itself */
	uint16_t depth; /* for nodes: number of branches above it */
	bool is_run_on; /* continues the line before it, and has no separate share */
	bool has_more, is_open;
	uint64_t id; /* stable id of the row or node, as long as its functions are known */
};

/* State that the user changes. All zero: the first row is selected, callchains are hidden. */
struct tally_screen {
	size_t cursor, first; /* index of the selected line, and of the top line */
	bool all_open; /* callchains are shown, except those in `turned`; otherwise the reverse */
	struct tally_map turned;
	bool hide_headings;
	int needed[TALLY_VIEW_MAX_COLUMNS]; /* by column; does not decrease while rows change */
	int widths[TALLY_VIEW_MAX_COLUMNS]; /* by column; 0: there is no space for it */
	size_t page;                        /* number of lines drawn last */
	TALLY_VEC(struct tally_screen_line) lines;
};

void tally_screen_free(struct tally_screen *screen);

/* Compute the lines for these rows, and keep the cursor within them. Call graphs that are made when
 * a row is opened are made only for rows in sight, and appear as rows come into sight. Returns 0 or
 * -ENOMEM. */
int tally_screen_lay_out(struct tally_screen *screen, const struct tally_view *view);

/* Return the number of lines for rows on a canvas with `rows` rows, at least one. */
int tally_screen_page(const struct tally_screen *screen, int rows);

/* Return the selected line; NULL if there are no lines. */
const struct tally_screen_line *tally_screen_selected(const struct tally_screen *screen);

/* Show or hide one level below the selected line, or everything below it if `all` is set. Takes
 * effect with the next layout. Returns 0 or -ENOMEM. */
int tally_screen_toggle(struct tally_screen *screen, const struct tally_view *view, bool all);

/* Show or hide all callchains. */
void tally_screen_open_all(struct tally_screen *screen, bool open);

/* Reset the widths, because the columns have changed. */
void tally_screen_reset_widths(struct tally_screen *screen);

/* Draw the screen and the panel on a canvas; the panel's `where` is set to the position in the
 * list. */
void tally_screen_draw(struct tally_screen *screen, const struct tally_view *view,
		       const struct tally_panel *panel, struct tally_canvas *canvas);

#endif
