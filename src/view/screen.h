/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen of a live profile: rows on a canvas, with the cursor and the callchains that the user
 * has opened. The output depends only on the arguments. Not thread-safe.
 */
#ifndef TALLY_VIEW_SCREEN_H
#define TALLY_VIEW_SCREEN_H

#include "base/map.h"
#include "view/panel.h"
#include "view/view.h"

/* A line in the list: a row, or a node of a row's call graph. */
struct tally_screen_line {
	uint32_t row;
	uint32_t node;  /* 0 for the row itself */
	uint16_t depth; /* number of branches above the node */
	bool is_run_on; /* continues the previous line and has no share of its own */
	bool has_more, is_open;
	uint64_t id; /* ID of the row or node, stable once its functions are known */
};

/* State that the user changes. In an all-zero struct, the first row is selected and callchains are
 * hidden. */
struct tally_screen {
	size_t cursor, first; /* indexes of the selected line and the top line */
	bool all_open;        /* `turned` lists closed callchains if set, open ones otherwise */
	struct tally_map turned;
	bool hide_headings;
	int needed[TALLY_VIEW_MAX_COLUMNS]; /* width needed by each column; never decreases */
	int widths[TALLY_VIEW_MAX_COLUMNS]; /* width of each column; 0 if the column is hidden */
	size_t page;                        /* number of lines that fit on the screen */
	TALLY_VEC(struct tally_screen_line) lines;
};

void tally_screen_free(struct tally_screen *screen);

/* Compute the lines for the rows, and keep the cursor within them. If call graphs are created on
 * demand, they are created only for open rows that are visible or about to become visible. Returns
 * 0 or -ENOMEM. */
int tally_screen_lay_out(struct tally_screen *screen, const struct tally_view *view);

/* Return the number of lines available for rows on a canvas with `rows` rows, at least one. */
int tally_screen_page(const struct tally_screen *screen, int rows);

/* Return the selected line, or NULL if there are no lines. */
const struct tally_screen_line *tally_screen_selected(const struct tally_screen *screen);

/* Show or hide one level below the selected line, or everything below it if `all` is set. Takes
 * effect on the next layout. Returns 0 or -ENOMEM. */
int tally_screen_toggle(struct tally_screen *screen, const struct tally_view *view, bool all);

/* Show or hide all callchains. */
void tally_screen_open_all(struct tally_screen *screen, bool open);

/* Reset the widths. Call this when the columns have changed. */
void tally_screen_reset_widths(struct tally_screen *screen);

/* Draw the screen and the panel on a canvas. The panel's `where` is replaced by the position in the
 * list. */
void tally_screen_draw(struct tally_screen *screen, const struct tally_view *view,
		       const struct tally_panel *panel, struct tally_canvas *canvas);

#endif
