/* SPDX-License-Identifier: BSD-2-Clause */
/* A flame graph in a part of the screen, with a cursor, a zoom and a search. */
#ifndef TALLY_CLI_BROWSER_PANE_H
#define TALLY_CLI_BROWSER_PANE_H

#include "profile/calltree.h"
#include "view/flame.h"

struct browser;

/* A function on the way to a cell, and what it is. */
struct browser_step_on {
	uint32_t number;
	struct tally_frame frame;
};

/* All zero: the callees of everything. */
struct browser_pane {
	/* What it shows: */
	enum tally_calltree_way way;
	bool collapses, upwards, has_function;
	uint32_t function;          /* from this one on, with has_function */
	TALLY_VEC(uint32_t) prefix; /* zoomed to: functions from the root on */
	/* The same, and behind it those up to the cell selected, as they were drawn last: by these
	 * they are found again where frames have other numbers. */
	TALLY_VEC(struct browser_step_on) path;
	/* As it was made last: */
	bool is_made;
	uint64_t generation; /* of the browser's selection */
	struct tally_area area;
	struct tally_calltree tree;
	struct tally_flame flame;
	uint32_t selected, first_level;
	/* The search: */
	struct tally_str search;
	uint8_t *matches; /* by frame; NULL: nothing is searched for */
	uint64_t matched; /* what the chains weigh that have a match */
};

/* Make it for an area, of the browser's selection, if anything is another one since it was made.
 * 0 or -ENOMEM. */
int browser_pane_make(struct browser_pane *pane, struct browser *browser,
		      const struct tally_area *area);
void browser_pane_free(struct browser_pane *pane);

void browser_pane_draw(const struct browser_pane *pane, struct browser *browser, bool has_cursor);

/* The function of the cell selected, TALLY_FRAME_NONE of a root without one. */
uint32_t browser_pane_function(const struct browser_pane *pane);

/* The node of the cell selected, NULL if there is none. */
const struct tally_graph_node *browser_pane_node(const struct browser_pane *pane);

/* Move the cursor to a neighbour (TALLY_PRESS_UP, _DOWN, _LEFT, _RIGHT, _HOME, ...). */
void browser_pane_move(struct browser_pane *pane, uint32_t press);

/* Zoom to the cell selected; out by one, or by all. 0 or -ENOMEM; false: it was not zoomed. */
int browser_pane_zoom(struct browser_pane *pane);
bool browser_pane_out(struct browser_pane *pane, bool all);

/* It is to be made anew, from its root. */
void browser_pane_reset(struct browser_pane *pane);

/* Mark what has a pattern in its name; "": nothing. 0, -ENOMEM, or -EINVAL with `*ret_why`. */
int browser_pane_search(struct browser_pane *pane, struct browser *browser, const char *pattern,
			const char **ret_why);

/* Go to the next cell that is marked. False: there is none. */
bool browser_pane_next(struct browser_pane *pane);

/* The cell at a place of the screen becomes the one selected; whether there is one. */
bool browser_pane_click(struct browser_pane *pane, int row, int column);

#endif
