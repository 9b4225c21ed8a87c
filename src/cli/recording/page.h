/* SPDX-License-Identifier: BSD-2-Clause */
/* --html: a recording, or two to compare, as one page for browsers. */
#ifndef TALLY_CLI_RECORDING_PAGE_H
#define TALLY_CLI_RECORDING_PAGE_H

#include "cli/recording/session.h"
#include "profile/profile.h"

enum { TALLY_HTML_INPUTS_MAX = 2 };

struct tally_html_request {
	const char *command; /* in whose name it is said what was written; NULL: it is not */
	/* "-": stdout, which may not be a terminal; TALLY_HTML_UNNAMED: a file called after the
	 * program of the last input (page_name.h) */
	const char *output;
	bool force; /* it may replace a file that is no page */
	/* How all inputs are opened. */
	struct tally_session_options session;
	const char *inputs[TALLY_HTML_INPUTS_MAX]; /* the baseline first; NULL as of a session */
	uint32_t nr_inputs;
	struct tally_profile_filter filter;
	uint64_t event_number; /* this event alone, from 1; 0: all */
	uint32_t max_stack;    /* as of profiles */
	bool raw_chains, no_inlined;
	bool has_code; /* of the heaviest functions of the last input, with lines of source */
};

/* Whether what was asked for beside --html, which may be NULL, goes together with it; says what
 * does not. 0 or -EINVAL. */
int tally_html_check(const char *html, bool html_source);

/* Whether the page can be written there; says why not. 0 or -errno. */
int tally_html_check_place(const char *html, bool force);

/* Read the inputs and write the page. What is wrong is printed. 0 or -errno: -ENODATA if two of
 * them have no event in common; -EINVAL also where a recording is broken: a page of what could be
 * read of it, which says so, is written all the same. */
int tally_html_make(const struct tally_html_request *request);

#endif
