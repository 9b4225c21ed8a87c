/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the browser share. */
#ifndef TALLY_CLI_BROWSER_STATE_H
#define TALLY_CLI_BROWSER_STATE_H

#include "cli/browser/box.h"
#include "cli/browser/browser.h"
#include "cli/browser/code.h"
#include "cli/browser/filter.h"
#include "cli/browser/kept.h"
#include "cli/browser/lists.h"
#include "cli/browser/live.h"
#include "cli/browser/pane.h"
#include "cli/browser/prompt.h"
#include "cli/browser/spans.h"
#include "cli/browser/table.h"
#include "view/panel.h"
#include "view/terminal.h"

struct browser_view;

enum { BROWSER_BACK_MAX = 32 };

/* A view that was shown, and the function that it was about. */
struct browser_back {
	const struct browser_view *view;
	uint32_t pivot;
	struct tally_frame pivot_frame;
};

struct browser {
	const struct tally_browser_source *source;
	struct tally_terminal *terminal;
	struct tally_canvas canvas;
	struct tally_panel_room room; /* of the view, on the canvas */
	int signals;
	const struct browser_view *view;            /* shown, */
	struct browser_back back[BROWSER_BACK_MAX]; /* and before it */
	size_t nr_back;
	uint32_t event;
	struct browser_filter filter;
	struct tally_selection selection; /* of the event, by the filter */
	struct tally_chains chains;       /* of the selection, once has_chains */
	bool has_chains;
	uint64_t seen;       /* generation of what is live */
	uint64_t total;      /* what was 100 % when it was selected */
	uint32_t selected;   /* the event, */
	uint64_t mark;       /* and browser_filter_mark(), of which the selection was made */
	uint64_t generation; /* of the selection: another one has another */
	uint64_t nr_generations;
	struct browser_kept kept; /* selections of before */
	/* Of tally_chains.functions, or TALLY_FRAME_NONE: where the cursor is, and the one whose
	 * callers and callees are shown. */
	uint32_t function, pivot;
	uint32_t here; /* the function where the cursor is in this view, as it was drawn last */
	struct tally_frame function_frame, pivot_frame; /* what they were, of what is live */
	struct browser_prompt prompt;
	struct tally_str note; /* said until the next key; empty: nothing */
	struct tally_str health;
	bool is_stale;                            /* the selection has to be made anew */
	bool is_relative, hide_kernel, hide_user; /* of rows */
	bool stop, redraw;
	struct browser_box box;
	struct tally_str title_text, note_text; /* of the panel, drawn last */
	/* Of the views: */
	struct browser_lists lists;
	struct browser_table table;
	struct browser_pane flame, callers, callees;
	bool told_no_callchains;
	bool at_callers; /* which of the two the cursor is in */
	struct browser_spans spans;
	struct browser_code code;
};

/* Whether anything changed since the selection was made; make it anew. 0 or -ENOMEM. */
bool browser_is_stale(const struct browser *browser);
int browser_select(struct browser *browser);

/* Take the source's lines of health, without their marks of comments. */
void browser_health(struct browser *browser);

/* Print what was most important: the terminal is as it was before. 0 or -errno. */
int browser_summary(struct browser *browser);

/* The first line. */
void browser_title(const struct browser *browser, struct tally_str *out);

/* Whether there are callchains at all: without them what a function costs in all is not known. */
bool browser_has_callchains(const struct browser *browser);
#define BROWSER_NO_CALLCHAINS "there are no callchains: tally record -g"

/* Find the callchains of the selection, if they are not known. 0 or -ENOMEM. */
int browser_chains_make(struct browser *browser);

/* The number that a frame has now, which had another one when it was copied; of what is not live
 * `number`. TALLY_FRAME_NONE: it is gone. */
uint32_t browser_frame_again(const struct browser *browser, uint32_t number,
			     const struct tally_frame *was);

/* Fill in title, note and keys; valid until the next call. */
void browser_panel(struct browser *browser, struct tally_panel *panel);

/* Draw the view and what is around it on a canvas of that size. 0 or -errno. */
int browser_draw_view(struct browser *browser, int rows, int columns);

/* Draw sentences, each a line, in place of the view. */
void browser_words_draw(struct browser *browser, const char *words);

/* Say so in words, over the view, where nothing is left of what is looked at. */
void browser_nothing_draw(struct browser *browser);

/* What was just done is told in the line above the keys. */
void browser_note(struct browser *browser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
