/* SPDX-License-Identifier: BSD-2-Clause */
/* A flame graph in part of the screen, with cursor, zoom and search. */
#ifndef TALLY_CLI_BROWSER_PANE_H
#define TALLY_CLI_BROWSER_PANE_H

#include "profile/graph/calltree.h"
#include "view/flame.h"

struct browser;

/* A step on the path to a cell: a function's frame number, and a copy of the frame. */
struct browser_path_step {
	uint32_t number;
	struct tally_frame frame;
};

/* A pane. A zero-initialised pane shows the callees of the whole selection. */
struct browser_pane {
	/* Options: */
	enum tally_calltree_way way;
	bool collapses, upwards, has_function;
	uint32_t function;          /* root function, if has_function */
	TALLY_VEC(uint32_t) prefix; /* zoom path: functions from the root */
	/* The zoom path followed by the path to the selected cell, as last drawn. The frames are
	 * used to find the cells again after frames have been renumbered. */
	TALLY_VEC(struct browser_path_step) path;
	/* Result of the last layout: */
	bool is_made;
	uint64_t generation; /* generation of the browser's selection */
	struct tally_area area;
	struct tally_calltree tree;
	struct tally_flame flame;
	uint32_t selected, first_level;
	/* Search: */
	struct tally_str search;
	uint8_t *matches; /* indexed by frame; NULL if there is no search */
	uint64_t matched; /* total period of chains with a match */
};

/* Lay out the pane for an area and the browser's selection, unless nothing has changed. Return 0 or
 * -ENOMEM. */
int browser_pane_build(struct browser_pane *pane, struct browser *browser,
		       const struct tally_area *area);
void browser_pane_free(struct browser_pane *pane);

void browser_pane_draw(const struct browser_pane *pane, struct browser *browser, bool has_cursor);

/* Return the selected cell's function, or TALLY_FRAME_NONE for a root without a function. */
uint32_t browser_pane_function(const struct browser_pane *pane);

/* Return the selected cell's tree node, or NULL if no cell is selected. */
const struct tally_graph_node *browser_pane_node(const struct browser_pane *pane);

/* Move the cursor to a neighbour. `press` is TALLY_PRESS_UP, _DOWN, _LEFT, _RIGHT, _HOME, ... */
void browser_pane_move(struct browser_pane *pane, uint32_t press);

/* browser_pane_zoom() zooms to the selected cell and returns 0 or -ENOMEM. browser_pane_out() zooms
 * out by one level, or completely if `all` is set; it returns false if the pane was not zoomed. */
int browser_pane_zoom(struct browser_pane *pane);
bool browser_pane_out(struct browser_pane *pane, bool all);

/* Reset zoom and cursor, and request a new layout. */
void browser_pane_reset(struct browser_pane *pane);

/* Mark the functions that have a name matching a pattern; "" removes all marks. Return 0, -ENOMEM,
 * or -EINVAL with the reason in `*ret_why`. */
int browser_pane_search(struct browser_pane *pane, struct browser *browser, const char *pattern,
			const char **ret_why);

/* Select the next marked cell. Return false if no cell is marked. */
bool browser_pane_next(struct browser_pane *pane);

/* Select the cell at a screen position. Return false if there is no cell at this position. */
bool browser_pane_click(struct browser_pane *pane, int row, int column);

#endif
