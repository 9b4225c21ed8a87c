/* SPDX-License-Identifier: BSD-2-Clause */
/* The views of the browser: a table of what each draws and does. */
#ifndef TALLY_CLI_BROWSER_VIEW_H
#define TALLY_CLI_BROWSER_VIEW_H

#include "cli/browser/state.h"

struct browser_key {
	uint32_t press;
	int (*act)(struct browser *browser);
};

struct browser_view {
	const char *name;
	uint32_t press;  /* the key that goes there */
	const char *bar; /* keys, see tally_panel.bar */
	const char *const *help;
	size_t nr_help;
	const struct browser_key *keys;
	size_t nr_keys;
	/* Make and draw it, in the rows of browser->room; `where` is for the panel. 0 or -errno. */
	int (*draw)(struct browser *browser, struct tally_str *where);
	int (*mouse)(struct browser *browser, struct tally_mouse mouse); /* or NULL */
	bool draws_panel;
};

extern const struct browser_view browser_overview, browser_rows, browser_flame, browser_sandwich,
	browser_time;

/* All views, by their keys' order; NULL ends them. */
extern const struct browser_view *const browser_views[];

/* Go to a view; Esc comes back. */
void browser_go(struct browser *browser, const struct browser_view *view);

/* Whoever wants a function looked at: `frame` is of tally_chains.functions or TALLY_FRAME_NONE. */
int browser_go_function(struct browser *browser, uint32_t frame);

/* Add a step to what is looked at, of the words of a query that are made like printf. */
int browser_zoom(struct browser *browser, const char *words);

/* Add one that asks for a whole name: "comm", "sym", "dso", ... */
int browser_zoom_name(struct browser *browser, const char *field, const char *name);

/* One key: of a question, of the view, or of all views. 0 or -errno. */
int browser_press(struct browser *browser, uint32_t press);

#endif
