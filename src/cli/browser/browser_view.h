/* SPDX-License-Identifier: BSD-2-Clause */
/* Table of the browser's views: how each view is drawn and reacts to keys. */
#ifndef TALLY_CLI_BROWSER_VIEW_H
#define TALLY_CLI_BROWSER_VIEW_H

#include "cli/browser/browser_state.h"

struct browser_key {
	uint32_t press;
	int (*act)(struct browser *browser);
};

/* List cursor: the selected line, the number of lines, and the number of visible lines. */
struct browser_cursor {
	size_t *at, nr, page;
};

struct browser_view {
	const char *name;
	uint32_t press;  /* key that switches to the view */
	const char *bar; /* text of the key bar; see tally_panel.bar */
	const char *const *help;
	size_t nr_help;
	const struct browser_key *keys;
	size_t nr_keys;
	/* Compute the view and draw it in the rows given by browser->room. Append the position that
	 * the panel shows next to the note, such as "1/12", to `where`. Return 0 or -errno. */
	int (*draw)(struct browser *browser, struct tally_str *where);
	int (*mouse)(struct browser *browser, struct tally_mouse mouse); /* may be NULL */
	/* Return the list cursor that the arrow keys, page keys and mouse wheel move. If NULL, the
	 * view handles these keys itself. */
	struct browser_cursor (*cursor)(struct browser *browser);
	/* Append the full names in the selected line (see full_names.h). If NULL, the function's
	 * names are used. */
	void (*whole)(const struct browser *browser, struct tally_str *out);
	const char *no_function; /* message if there is no function at the cursor */
	bool draws_panel;
	/* True if the view shows the function browser->pivot; false if its cursor selects a
	 * function. */
	bool of_function;
};

extern const struct browser_view browser_overview, browser_rows, browser_flame, browser_sandwich,
	browser_annotate, browser_time, browser_stacks;

/* Switch to a view and show the function `pivot` in it; pass browser->pivot to keep the function.
 * Esc returns to the previous view and function. */
void browser_switch_view(struct browser *browser, const struct browser_view *view, uint32_t pivot);

/* Set the function at the cursor, a value from tally_chains.functions or TALLY_FRAME_NONE. Moving
 * the cursor does not choose a function. */
void browser_set_function(struct browser *browser, uint32_t frame);

/* Choose a function for the views of a function; TALLY_FRAME_NONE is ignored. */
void browser_choose_function(struct browser *browser, uint32_t frame);

/* Return the function that the user chose last or, if none was chosen or it has no samples in the
 * selection, the one with the largest self cost; TALLY_FRAME_NONE if there are no samples. */
uint32_t browser_chosen_function(struct browser *browser);

/* Get the function at the cursor or, as long as the cursor has not moved, the chosen function. If
 * there is none at the cursor, show a message and return false. */
bool browser_function_at_cursor(struct browser *browser, uint32_t *ret_function);

/* Keys that change what callchains consist of: fold inlined functions or foreign code, or the
 * function at the cursor, into their callers; drop the samples with this function on the callchain.
 * Return 0 or -ENOMEM. */
int browser_fold_inlined(struct browser *browser);
int browser_fold_foreign(struct browser *browser);
int browser_merge(struct browser *browser);
int browser_drop(struct browser *browser);

/* Show callers and callees of `frame`, a value from tally_chains.functions. TALLY_FRAME_NONE is
 * ignored. */
int browser_switch_function(struct browser *browser, uint32_t frame);

/* Show the code of the function that matches `word` best; if there are several, of the heaviest.
 * Without a word (""), show the function with the largest self cost. If there is none, show a
 * message. Return 0 or -ENOMEM. */
int browser_start_annotate(struct browser *browser, const char *word);

/* Add a filter step (see browser_filter_push()). The step is given in one of three forms: as query
 * words, as a field and its exact name, or as a field and a number. Errors in the query are shown
 * as a message. Return 0 or -ENOMEM. */
int browser_zoom(struct browser *browser, enum browser_step_kind kind, const char *words,
		 const char *name);
int browser_zoom_name(struct browser *browser, enum browser_step_kind kind, const char *field,
		      const char *name);
int browser_zoom_number(struct browser *browser, enum browser_step_kind kind, const char *field,
			int64_t number);

/* Append a query term that matches exactly this name. */
void browser_add_term(struct tally_str *out, const char *field, const char *name);

/* Toggle a flag, show a message, and discard the rows. Return 0. */
int browser_toggle(struct browser *browser, bool *flag, const char *on, const char *off);

/* Source features that keys and help lines depend on. */
enum {
	BROWSER_HAS_PROFILE = 1 << 0,
	BROWSER_HAS_ANNOTATE = 1 << 1,
	BROWSER_HAS_HEALTH = 1 << 2,
	BROWSER_HAS_STACKS = 1 << 3, /* of a finished recording */
};
unsigned browser_has(const struct browser *browser);

/* Open a popup that shows the help, the data health or the full names. Always return 0. */
int browser_show_help(struct browser *browser);
int browser_show_health(struct browser *browser);
int browser_show_names(struct browser *browser);

/* Write the view as text to a new file in the current directory, and show the file's name. Return 0
 * or -ENOMEM; other errors are shown as a message. */
int browser_save(struct browser *browser);

/* Handle a key press: offer it to the open box or prompt, then to the view, then to the key
 * bindings common to all views. Return 0 or -errno. */
int browser_press(struct browser *browser, uint32_t press);

#endif
