/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of the browser's views: how each is drawn and reacts to keys. */
#ifndef TALLY_CLI_BROWSER_VIEW_H
#define TALLY_CLI_BROWSER_VIEW_H

#include "cli/browser/browser_state.h"

struct browser_key {
	uint32_t press;
	int (*act)(struct browser *browser);
};

/* Cursor of a list: the selected line, the number of lines, and how many are visible. */
struct browser_cursor {
	size_t *at, nr, page;
};

struct browser_view {
	const char *name;
	uint32_t press;  /* key that switches to the view */
	const char *bar; /* keys, see tally_panel.bar */
	const char *const *help;
	size_t nr_help;
	const struct browser_key *keys;
	size_t nr_keys;
	/* Compute and draw the view in the rows of browser->room; `where` is a text for the panel.
	 * Returns 0 or -errno. */
	int (*draw)(struct browser *browser, struct tally_str *where);
	int (*mouse)(struct browser *browser, struct tally_mouse mouse); /* may be NULL */
	/* Return the cursor of a list, moved by arrows, pages and wheel. NULL: the view handles
	 * these keys. */
	struct browser_cursor (*cursor)(struct browser *browser);
	/* Append the unabbreviated names of the selected line, see full_names.h. NULL: those of the
	 * function. */
	void (*whole)(const struct browser *browser, struct tally_str *out);
	const char *no_function; /* message if there is no function at the cursor */
	bool draws_panel;
	bool of_function; /* shows the function browser->pivot; otherwise the cursor selects a
	                   * function */
};

extern const struct browser_view browser_overview, browser_rows, browser_flame, browser_sandwich,
	browser_annotate, browser_time;

/* Switch to a view with a function; pass browser->pivot to keep the function. Esc returns to the
 * previous view and function. */
void browser_switch_view(struct browser *browser, const struct browser_view *view, uint32_t pivot);

/* Set the function at the cursor, of tally_chains.functions; or TALLY_FRAME_NONE. */
void browser_set_function(struct browser *browser, uint32_t frame);

/* Show callers and callees of `frame`, of tally_chains.functions. TALLY_FRAME_NONE is ignored. */
int browser_switch_function(struct browser *browser, uint32_t frame);

/* Add a filter step, see browser_filter_push(): by the words of a query, by a field and its exact
 * name, or by a field and a number. Errors in the query are shown as a message. Returns 0 or
 * -ENOMEM. */
int browser_zoom(struct browser *browser, enum browser_step_kind kind, const char *words,
		 const char *name);
int browser_zoom_name(struct browser *browser, enum browser_step_kind kind, const char *field,
		      const char *name);
int browser_zoom_number(struct browser *browser, enum browser_step_kind kind, const char *field,
			int64_t number);

/* Toggle a flag, show a message, and discard the rows. Returns 0. */
int browser_toggle(struct browser *browser, bool *flag, const char *on, const char *off);

/* Features of a source that keys and help lines depend on. */
enum {
	BROWSER_HAS_PROFILE = 1 << 0,
	BROWSER_HAS_ANNOTATE = 1 << 1,
	BROWSER_HAS_HEALTH = 1 << 2,
};
unsigned browser_has(const struct browser *browser);

/* Open a box with help, health or unabbreviated names. Returns 0. */
int browser_show_help(struct browser *browser);
int browser_show_health(struct browser *browser);
int browser_show_names(struct browser *browser);

/* Write the view as text to a new file in the current directory, and show its name. Returns 0 or
 * -ENOMEM; other errors are shown as a message. */
int browser_save(struct browser *browser);

/* Handle a key: of a box, a prompt, the view, or all views. Returns 0 or -errno. */
int browser_press(struct browser *browser, uint32_t press);

#endif
