/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen of a live profile: from rows, and what the user made of them, to a canvas. What is
 * drawn depends on the arguments alone. Not thread-safe.
 */
#ifndef TALLY_VIEW_SCREEN_H
#define TALLY_VIEW_SCREEN_H

#include "base/map.h"
#include "view/panel.h"
#include "view/view.h"

/* A line among the rows: a row, or a node of the call graph below it. */
struct tally_screen_line {
	uint32_t row;
	uint32_t node;  /* 0: the row itself */
	uint16_t depth; /* of nodes: callers or callees up to here that are told apart */
	bool is_run_on; /* all of the line before goes there: it has no share of its own */
	bool has_more, is_open;
	uint64_t id; /* the same for the same row or node, as long as its functions are known */
};

/* What the user did. All zero: the first row is selected, callchains are hidden. */
struct tally_screen {
	size_t cursor, first; /* index of the line selected, and of the one at the top */
	bool all_open; /* callchains are shown, but for those in `turned`; else the reverse */
	struct tally_map turned;
	bool hide_headings;
	int needed[TALLY_VIEW_MAX_COLUMNS]; /* by columns; not less while one looks */
	int widths[TALLY_VIEW_MAX_COLUMNS]; /* which fit; 0: there is no room for it */
	size_t page;                        /* lines that were drawn last */
	TALLY_VEC(struct tally_screen_line) lines;
};

void tally_screen_free(struct tally_screen *screen);

/* Find the lines of these rows, and keep the cursor within them. Call graphs that are made when a
 * row is opened are made of rows in sight, and appear as they come into sight. 0 or -ENOMEM. */
int tally_screen_lay_out(struct tally_screen *screen, const struct tally_view *view);

/* How many lines of rows a canvas of that height has room for; at least one is meant. */
int tally_screen_page(const struct tally_screen *screen, int rows);

/* The line selected; NULL without any. */
const struct tally_screen_line *tally_screen_selected(const struct tally_screen *screen);

/* Show or hide what is below the line selected: one level of it, or with `all` everything. Takes
 * effect when it is laid out again. 0 or -ENOMEM. */
int tally_screen_toggle(struct tally_screen *screen, const struct tally_view *view, bool all);

/* Show or hide all callchains. */
void tally_screen_open_all(struct tally_screen *screen, bool open);

/* Other columns stand in other places: they begin anew. */
void tally_screen_forget_widths(struct tally_screen *screen);

/* Draw it on a canvas that has its size, with the panel around it but for `where`. */
void tally_screen_draw(struct tally_screen *screen, const struct tally_view *view,
		       const struct tally_panel *panel, struct tally_canvas *canvas);

#endif
