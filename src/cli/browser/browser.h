/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal browser: views of a profile, controlled with the keyboard and the mouse, that share
 * one selection (a query, zoom steps, a time span). The screen is computed from the profile after
 * every key and refresh; the only state is the user's input.
 * It does not change the profile. A source without a profile has its own views.
 */
#ifndef TALLY_CLI_BROWSER_BROWSER_H
#define TALLY_CLI_BROWSER_BROWSER_H

#include "cli/main/row_options.h"

struct browser;
struct browser_view;
struct tally_annotate;
struct tally_browser_live;

/* The data to show, all borrowed. */
struct tally_browser_source {
	const struct tally_browser_live *live;   /* NULL if the profile does not change */
	const struct browser_view *const *views; /* NULL-terminated; the first one is shown first */
	/* The profile, grouped by comm, frame and, if there are callchains, path. The profile of a
	 * finished recording is also grouped by thread and CPU, and keeps its samples. */
	struct tally_profile *profile;
	struct tally_row_options *rows; /* complete; keys and columns follow the sort order */
	const char *symfs;              /* root directory for source files, or NULL */
	const struct tally_labels *labels;
	uint32_t first_event, nr_events;
	void *arg; /* of the callbacks */
	/* Return the name of an event, or NULL if there is no such event or it has no samples. */
	const char *(*event)(void *arg, uint32_t event);
	/* Return true if an event's weights are in ns. If NULL, no weights are. */
	bool (*is_time)(void *arg, uint32_t event);
	/* Return the PERF_SAMPLE_* fields of an event's samples; for a live profile, those that it
	 * keeps (no timestamps). Required if there is a profile. */
	uint64_t (*fields)(void *arg, uint32_t event);
	/* Append a title line (default: `what` and the event), and health comments ("# ..."). */
	void (*title)(void *arg, uint32_t event, struct tally_str *out);
	void (*health)(void *arg, struct tally_str *out);
	/* Read the recording again to collect the costs of each address of a function in the
	 * selection. Return 0, -ENOMEM or another error. NULL if not available. */
	int (*annotate)(void *arg, struct browser *browser, const struct tally_frame *frame,
			struct tally_annotate **ret_samples);
	uint64_t count_filter;    /* leave out rows with fewer samples */
	size_t most;              /* maximum number of rows, or 0 for no limit */
	const char *what, *query; /* recording's name; initial query or NULL */
	const char *annotated;    /* function to annotate at the start ("": the top one), or NULL */
	bool is_temporary;        /* the recording is not kept in a file */
	bool hide_kernel, hide_user, starts_with_rows;
};

/* Views for a finished recording, and for a live profile (no timestamps). */
extern const struct browser_view *const tally_browser_views[], *const tally_browser_live_views[];

/* Run the browser on the terminal at standard input and output until the user quits, then print a
 * summary as text. Return 0; -ENOTTY if standard input and output are not a terminal; -ENODEV if
 * the terminal type is unknown; -ENOMEM or another error. Errors have already been printed. */
int tally_browser_run(const struct tally_browser_source *source);

#endif
