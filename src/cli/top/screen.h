/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the screen of tally top share. */
#ifndef TALLY_CLI_TOP_SCREEN_H
#define TALLY_CLI_TOP_SCREEN_H

#include "cli/top/rows.h"
#include "view/screen.h"
#include "view/terminal.h"

/* What may be looked at alone, one inside the other. */
enum top_zoom_kind {
	TOP_ZOOM_THREAD,
	TOP_ZOOM_DSO,
	TOP_ZOOM_SYMBOL,
	TOP_ZOOM_PART,
	TOP_ZOOM_KERNEL,
};

enum { TOP_ZOOM_DEPTH = 16 };

/* A question in the line above the keys. */
enum top_question { TOP_ASKS_NOTHING, TOP_ASKS_PART, TOP_ASKS_SEARCH };

struct top_screen {
	struct top *top;
	int signals;
	struct tally_terminal *terminal;
	struct tally_canvas canvas;
	struct tally_screen screen;
	struct top_rows rows; /* made under the lock, looked at under the lock */
	bool has_rows;
	uint32_t event;
	size_t order; /* of rows: 0: `first_sort`, else one of those that `o` goes through */
	const char *first_sort;
	bool is_relative, shows_help, stop;
	struct top_zoom zoom;
	enum top_zoom_kind zooms[TOP_ZOOM_DEPTH]; /* in the order they were made */
	size_t nr_zooms;
	enum top_question question;
	struct tally_str answer; /* as typed so far */
	struct tally_str search; /* looked for last */
	struct tally_str note;   /* said until the next key; empty: nothing */
	bool is_stale;           /* the rows have to be made anew */
};

/* Show it as a screen until its end, which is told. 0 or -errno. `signals`: signalfd. */
int top_screen_run(struct top *top, int signals);

/* Carry out a key. The caller holds the lock. 0 or -errno. */
int top_screen_press(struct top_screen *screen, uint32_t press);

/* The help, a line for each key. */
extern const char *const top_screen_help[];
extern const size_t top_screen_nr_help;

#endif
