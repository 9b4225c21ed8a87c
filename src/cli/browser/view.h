/* SPDX-License-Identifier: BSD-2-Clause */
/* The views of the browser: a table of what each draws and does. */
#ifndef TALLY_CLI_BROWSER_VIEW_H
#define TALLY_CLI_BROWSER_VIEW_H

#include "cli/browser/state.h"

struct browser_key {
	uint32_t press;
	int (*act)(struct browser *browser);
};

/* A line of so many that is selected, and how many are in sight. */
struct browser_cursor {
	size_t *at, nr, page;
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
	/* Of a list: arrows, pages and the wheel move it. NULL: the view has keys for these. */
	struct browser_cursor (*cursor)(struct browser *browser);
	/* Append the whole names of what is selected, see whole.h. NULL: it is a function. */
	void (*whole)(const struct browser *browser, struct tally_str *out);
	const char *no_function; /* why there may be none where the cursor is */
	bool draws_panel;
	bool of_function; /* browser->pivot's; else it has one where the cursor is */
};

extern const struct browser_view browser_overview, browser_rows, browser_flame, browser_sandwich,
	browser_annotate, browser_time;

/* Go to a view with a function, browser->pivot where it stays the same; Esc comes back to both. */
void browser_go(struct browser *browser, const struct browser_view *view, uint32_t pivot);

/* The cursor is on a function, of tally_chains.functions; or on none (TALLY_FRAME_NONE). */
void browser_take_function(struct browser *browser, uint32_t frame);

/* Whoever wants a function looked at: `frame` is of tally_chains.functions or TALLY_FRAME_NONE. */
int browser_go_function(struct browser *browser, uint32_t frame);

/* Look closer, see browser_filter_push(): by the words of a query; by a field that has a whole
 * name, or a number. What is wrong with the words is told. 0 or -ENOMEM. */
int browser_zoom(struct browser *browser, enum browser_step_kind kind, const char *words,
		 const char *name);
int browser_zoom_name(struct browser *browser, enum browser_step_kind kind, const char *field,
		      const char *name);
int browser_zoom_number(struct browser *browser, enum browser_step_kind kind, const char *field,
			int64_t number);

/* Turn something over, and tell what it is now; what is shown is made anew. */
int browser_turn(struct browser *browser, bool *flag, const char *on, const char *off);

/* What not every source has: keys and lines of help are of it. */
enum {
	BROWSER_HAS_PROFILE = 1 << 0,
	BROWSER_HAS_ANNOTATE = 1 << 1,
	BROWSER_HAS_HEALTH = 1 << 2,
};
unsigned browser_has(const struct browser *browser);

/* Open a box with keys, the recording's health, whole names. 0. */
int browser_show_help(struct browser *browser);
int browser_show_health(struct browser *browser);
int browser_show_whole(struct browser *browser);

/* Write the view as text to a file of this folder that is not there yet, and say which. 0 or
 * -ENOMEM: what else is wrong is said, too. */
int browser_save(struct browser *browser);

/* One key: of a question, of the view, or of all views. 0 or -errno. */
int browser_press(struct browser *browser, uint32_t press);

#endif
