/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal browser: a profile to look at with keys and a mouse, in views that share one
 * selection (a query, steps of zoom, a span of time). What is drawn is made anew from the profile
 * after every key; nothing is kept but what the user did.
 *
 * It does not: read recordings or record; change the profile.
 */
#ifndef TALLY_CLI_BROWSER_BROWSER_H
#define TALLY_CLI_BROWSER_BROWSER_H

#include "cli/recording/rows.h"

/* Where what is shown comes from. All borrowed. */
struct tally_browser_source {
	/* Finished, with samples kept, by comm, thread, CPU, frame and, where there are callchains,
	 * path. */
	struct tally_profile *profile;
	struct report_config *config; /* finished; other orders change its keys and columns */
	const struct tally_intern *labels;
	uint32_t first_event;
	void *arg; /* of: */
	/* The name of an event; NULL: there is no event of that number, or it has no samples. */
	const char *(*event)(void *arg, uint32_t event);
	/* What a reader must know about the recording, lines of comment ("# ..."). */
	void (*health)(void *arg, struct tally_str *out);
	const char *what;  /* what was read, for the title */
	const char *query; /* what is looked at first; NULL: everything */
};

/* Show it on the terminal that standard input and output are, until the user has seen enough; then
 * leave what is most important behind as text. 0; -ENOTTY where they are none; -ENODEV where
 * nothing is known about its kind, -ENOMEM, or another error: told. */
int tally_browser_run(const struct tally_browser_source *source);

#endif
