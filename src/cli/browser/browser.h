/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal browser: views of a profile, controlled with keys and mouse, which share one
 * selection (a query, zoom steps, a span of time). The screen is computed from the profile after
 * every key and refresh; the only state is what the user did.
 *
 * The browser does not read recordings, record, or change the profile. A source without a profile
 * has its own views.
 */
#ifndef TALLY_CLI_BROWSER_BROWSER_H
#define TALLY_CLI_BROWSER_BROWSER_H

#include "cli/recording/recording_rows.h"

struct browser;
struct browser_view;
struct tally_annotate;
struct tally_browser_live;

/* The data to show. All pointers are borrowed. */
struct tally_browser_source {
	const struct tally_browser_live *live;   /* NULL: the profile does not change */
	const struct browser_view *const *views; /* NULL-terminated; the first one is shown first */
	/* By comm, frame and, if there are callchains, path. A finished recording is also by thread
	 * and CPU, and keeps its samples. */
	struct tally_profile *profile;
	struct report_config *config; /* finished; changing the order updates keys and columns */
	const struct tally_intern *labels;
	uint32_t first_event, nr_events;
	void *arg; /* passed to the callbacks below */
	/* Return the name of an event; NULL if there is no such event or it has no samples. */
	const char *(*event)(void *arg, uint32_t event);
	/* Return the PERF_SAMPLE_* fields of an event's samples, without times for a live profile.
	 * Required if there is a profile. */
	uint64_t (*fields)(void *arg, uint32_t event);
	/* Append the title line for an event; NULL: it consists of `what` and the event. */
	void (*title)(void *arg, uint32_t event, struct tally_str *out);
	/* Append the health of the recording as comment lines ("# ..."). */
	void (*health)(void *arg, struct tally_str *out);
	/* Collect the costs of each address of a function for the browser's selection, by reading
	 * the recording again. Returns 0, -ENOMEM or another error. NULL: not available. */
	int (*annotate)(void *arg, struct browser *browser, const struct tally_frame *frame,
			struct tally_annotate **ret_samples);
	uint64_t count_filter; /* leave out rows with fewer samples */
	size_t most;           /* maximum number of rows; 0: no limit */
	bool hide_kernel, hide_user;
	const char *what;  /* name of the recording, for the title */
	const char *query; /* initial query; NULL: none */
};

/* The views of a finished recording, and those of a live profile, which has no times. */
extern const struct browser_view *const tally_browser_views[], *const tally_browser_live_views[];

/* Run the browser on the terminal at standard input and output until the user quits, then print a
 * summary as text. Returns 0; -ENOTTY if they are not a terminal; -ENODEV if the terminal type is
 * unknown; -ENOMEM or another error. Errors have been printed. */
int tally_browser_run(const struct tally_browser_source *source);

#endif
