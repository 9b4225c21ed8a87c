/* SPDX-License-Identifier: BSD-2-Clause */
/* State shared by the browser's source files. */
#ifndef TALLY_CLI_BROWSER_STATE_H
#define TALLY_CLI_BROWSER_STATE_H

#include "cli/browser/box.h"
#include "cli/browser/browser.h"
#include "cli/browser/browser_code.h"
#include "cli/browser/chart.h"
#include "cli/browser/browser_filter.h"
#include "cli/browser/selection_cache.h"
#include "cli/browser/lists.h"
#include "cli/browser/browser_live.h"
#include "cli/browser/pane.h"
#include "cli/browser/prompt.h"
#include "cli/browser/spans.h"
#include "cli/browser/browser_table.h"
#include "view/panel.h"
#include "view/summary_text.h"
#include "view/terminal.h"

struct browser_view;

enum { BROWSER_BACK_MAX = 32 };

/* A previous view, and the function it showed. */
struct browser_back {
	const struct browser_view *view;
	uint32_t pivot;
	struct tally_frame pivot_frame;
};

struct browser {
	const struct tally_browser_source *source;
	struct tally_terminal *terminal;
	struct tally_canvas canvas;
	struct tally_panel_rows room; /* canvas rows occupied by the view */
	int signals;
	const struct browser_view *view;            /* current view */
	struct browser_back back[BROWSER_BACK_MAX]; /* previous views */
	size_t nr_back;
	uint32_t event;
	struct browser_filter filter;
	struct tally_selection selection; /* samples of the current event that pass the filter */
	struct tally_chains chains;       /* callchains of the selection, if has_chains */
	bool has_chains;
	uint64_t seen;        /* live profile's generation at the last selection */
	uint64_t total;       /* period of the event's samples, at the last selection */
	uint64_t first, last; /* times of the first and last sample in the selected time, or 0 */
	uint32_t selected;    /* the selection's event */
	uint64_t mark;        /* browser_filter_mark() of the selection */
	uint64_t generation;  /* unique number of the selection */
	uint64_t nr_generations;
	struct browser_cache kept; /* cached previous selections */
	/* Values from tally_chains.functions, or TALLY_FRAME_NONE: the function that the user
	 * chose, and the function shown with its callers, callees or code. */
	uint32_t function, pivot;
	uint32_t here;  /* function at the current view's cursor, when last drawn */
	bool has_moved; /* the user moved the current view's cursor */
	/* Copies of the frames, to find the functions again in a live profile. */
	struct tally_frame function_frame, pivot_frame;
	struct browser_prompt prompt;
	struct tally_str note; /* message shown until the next key; may be empty */
	struct tally_str health;
	bool is_stale;               /* the selection must be recomputed */
	bool is_absolute;            /* shares are of all samples, not of the selection */
	bool hide_kernel, hide_user; /* options of the rows view */
	bool stop, redraw;
	struct browser_box box;
	struct tally_str title_text, note_text; /* strings in the panel drawn last */
	/* State of the views. */
	struct browser_lists lists;
	struct browser_table table;
	struct browser_pane flame, callers, callees;
	bool told_no_callchains;
	bool at_callers; /* true if the cursor is in `callers`, false if in `callees` */
	struct browser_spans spans;
	struct browser_chart chart;
	struct browser_code code;
};

/* browser_is_stale() returns true if anything changed since the selection was made.
 * browser_select() recomputes the selection and returns 0 or -ENOMEM. */
bool browser_is_stale(const struct browser *browser);
int browser_select(struct browser *browser);

/* Return true if the filter excludes samples. */
bool browser_is_partial(const struct browser *browser);

/* Return the period that corresponds to 100 % in all views: that of the selection, or of all
 * samples after the key F. */
uint64_t browser_whole(const struct browser *browser);

/* Store the source's health lines in browser->health, without comment markers. */
void browser_health(struct browser *browser);

/* Return the facts about the selection for its summary. The strings are borrowed; the maximum width
 * is not set. */
struct tally_summary browser_summarize(const struct browser *browser);

/* Print the summary. The terminal must have been restored. Return 0 or -errno. */
int browser_summary(struct browser *browser);

/* Append the title line. */
void browser_title(const struct browser *browser, struct tally_str *out);

/* Return true if there are callchains; without them the total cost of functions is unknown. The
 * second function returns the message for this case. */
bool browser_has_callchains(const struct browser *browser);
const char *browser_no_callchains(const struct browser *browser);

/* Compute the callchains of the selection unless they are already computed. Return 0 or -ENOMEM. */
int browser_chains_build(struct browser *browser);

/* Return the current number of a frame. In a live profile, look up the frame by its copy `was`, and
 * return TALLY_FRAME_NONE if the frame no longer exists; otherwise return `number`. */
uint32_t browser_frame_refind(const struct browser *browser, uint32_t number,
			      const struct tally_frame *was);

/* Set the title, note and keys of the panel. They are valid until the next call. */
void browser_panel(struct browser *browser, struct tally_panel *panel);

/* Draw the view and the panel on a canvas of this size. Return 0 or -errno. */
int browser_draw_view(struct browser *browser, int rows, int columns);

/* Draw lines of text instead of the view. */
void browser_draw_text(struct browser *browser, const char *words);

/* If the filter leaves nothing to show, draw a message over the view. */
void browser_draw_empty(struct browser *browser);

/* Set the message in the line above the keys. */
void browser_set_message(struct browser *browser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
