/* SPDX-License-Identifier: BSD-2-Clause */
/* --html: write a recording, or a comparison of two recordings, as an HTML page. */
#ifndef TALLY_CLI_RECORDING_PAGE_H
#define TALLY_CLI_RECORDING_PAGE_H

#include "cli/main/recordings.h"
#include "profile/profile.h"

enum { TALLY_HTML_INPUTS_MAX = 2 };

struct tally_html_request {
	const char *command; /* prefix of the final message, or NULL for no message */
	/* Output path; "-" for stdout, which must not be a terminal; or TALLY_HTML_UNNAMED for a
	 * file named after the last input's main program (page_name.h). */
	const char *output;
	bool force; /* overwrite an existing file, whatever it contains */
	/* Options for opening each input. */
	struct tally_recording_options recording;
	/* Paths, starting with the baseline; NULL for the session's default. */
	const char *inputs[TALLY_HTML_INPUTS_MAX];
	uint32_t nr_inputs;
	struct tally_profile_filter filter;
	uint64_t event_number; /* 1-based number of the only event to show; 0 for all */
	uint32_t max_stack;    /* as in struct tally_profile_options */
	bool raw_chains, no_inlined;
	bool has_code; /* add code and source of the last input's heaviest functions */
};

/* Check that --html-source is used only with --html, and that the name is suitable for an
 * uncompressed file. `html` may be NULL. Returns 0, or -EINVAL after printing an error. */
int tally_html_check(const char *html, bool html_source);

/* Check that the page can be written to `html`. Returns 0, or -errno after printing an error. */
int tally_html_check_place(const char *html, bool force);

/* Read the inputs and write the page. Returns 0, or -errno after printing an error. Returns
 * -ENODATA if two inputs have no event in common. If a recording is damaged, writes a page that
 * shows the readable part and a note, and returns -EINVAL. */
int tally_html_build(const struct tally_html_request *request);

#endif
