/* SPDX-License-Identifier: BSD-2-Clause */
/* --html: write one or two recordings (to compare) as an HTML page. */
#ifndef TALLY_CLI_RECORDING_PAGE_H
#define TALLY_CLI_RECORDING_PAGE_H

#include "cli/recording/session.h"
#include "profile/profile.h"

enum { TALLY_HTML_INPUTS_MAX = 2 };

struct tally_html_request {
	const char *command; /* name for the message about the written file; NULL: print none */
	/* "-": stdout, which must not be a terminal; TALLY_HTML_UNNAMED: a file named after the
	 * main program of the last input (page_name.h) */
	const char *output;
	bool force; /* may replace a file that is not a page */
	/* Options to open each input with. */
	struct tally_session_options session;
	const char *inputs[TALLY_HTML_INPUTS_MAX]; /* baseline first; NULL: the session's default */
	uint32_t nr_inputs;
	struct tally_profile_filter filter;
	uint64_t event_number; /* only this event, from 1; 0: all */
	uint32_t max_stack;    /* as in struct tally_profile_options */
	bool raw_chains, no_inlined;
	bool has_code; /* add code and source of the heaviest functions of the last input */
};

/* Check that --html-source is used only with --html, and that the name suits an uncompressed file.
 * `html` may be NULL. Returns 0, or -EINVAL after printing an error. */
int tally_html_check(const char *html, bool html_source);

/* Check that the page can be written to `html`. Returns 0, or -errno after printing an error. */
int tally_html_check_place(const char *html, bool force);

/* Read the inputs and write the page. Returns 0, or -errno after printing an error: -ENODATA if two
 * inputs have no event in common; -EINVAL also if a recording is damaged. In that case a page of
 * the readable part, with a note, is still written. */
int tally_html_build(const struct tally_html_request *request);

#endif
