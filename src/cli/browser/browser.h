/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal browser: a profile to look at with keys and a mouse, in views that share one
 * selection (a query, steps of zoom, a span of time). What is drawn is made anew from the profile
 * after every key and refresh; nothing is kept but what the user did.
 *
 * It does not: read recordings or record; change the profile. A source without one has views of its
 * own.
 */
#ifndef TALLY_CLI_BROWSER_BROWSER_H
#define TALLY_CLI_BROWSER_BROWSER_H

#include "cli/recording/rows.h"

struct browser;
struct browser_view;
struct tally_annotate;
struct tally_browser_live;

/* Where what is shown comes from. All borrowed. */
struct tally_browser_source {
	const struct tally_browser_live *live;   /* NULL: it is finished, and nothing changes */
	const struct browser_view *const *views; /* NULL ends them; the first one comes first */
	/* By comm, frame and, where there are callchains, path; finished with samples kept, and by
	 * thread and CPU, too. */
	struct tally_profile *profile;
	struct report_config *config; /* finished; other orders change its keys and columns */
	const struct tally_intern *labels;
	uint32_t first_event, nr_events;
	void *arg; /* of: */
	/* The name of an event; NULL: there is no event of that number, or it has no samples. */
	const char *(*event)(void *arg, uint32_t event);
	/* PERF_SAMPLE_* that samples of an event have; of what is live without their times. Needed
	 * with a profile. */
	uint64_t (*fields)(void *arg, uint32_t event);
	/* The first line, for an event; NULL: it is made of `what` and the event. */
	void (*title)(void *arg, uint32_t event, struct tally_str *out);
	/* What a reader must know about the recording, lines of comment ("# ..."). */
	void (*health)(void *arg, struct tally_str *out);
	/* What fell on each address of a function, of the browser's selection: reads the recording
	 * again. 0, -ENOMEM or another error of reading; NULL: it cannot be known. */
	int (*annotate)(void *arg, struct browser *browser, const struct tally_frame *frame,
			struct tally_annotate **ret_samples);
	uint64_t count_filter; /* rows of fewer samples are left out */
	size_t most;           /* rows; 0: all */
	bool hide_kernel, hide_user;
	const char *what;  /* what was read, for the title */
	const char *query; /* what is looked at first; NULL: everything */
};

/* The views of a recording, and of what changes, which has no times. */
extern const struct browser_view *const tally_browser_views[], *const tally_browser_live_views[];

/* Show it on the terminal that standard input and output are, until the user has seen enough; then
 * leave what is most important behind as text. 0; -ENOTTY where they are none; -ENODEV where
 * nothing is known about its kind, -ENOMEM, or another error: told. */
int tally_browser_run(const struct tally_browser_source *source);

#endif
