/* SPDX-License-Identifier: BSD-2-Clause */
/* --html: check its argument, and write a recording, or a comparison of two recordings, as an HTML
 * page. Without an argument, the file is named tally-PROGRAM.html. */
#ifndef TALLY_CLI_MAIN_HTML_FILE_H
#define TALLY_CLI_MAIN_HTML_FILE_H

#include <stdbool.h>

#include "base/str.h"
#include "cli/main/recordings.h"
#include "page/page_build.h"

/* Value of --html that requests a generated name. */
#define TALLY_HTML_UNNAMED ""

/* Return true if the word after --html is a page name, including "-". Return false for options, and
 * for recordings, which the user meant to read. */
bool tally_html_is_page_name(const char *word);

/* Do the same for commands that may be followed by another command, which begins at the first word
 * without an .html or .htm extension. *.html.gz is also accepted as a page name, although
 * compressed pages are not supported. */
bool tally_html_is_name_before_command(const char *word);

/* Append "tally-PROGRAM.html" without the program's directory. Spaces and control characters become
 * "_". */
void tally_html_add_name(const char *program, struct tally_str *out);

/* Check that --html-source is used only with --html, and that the name is suitable for an
 * uncompressed file. `html` may be NULL. Returns 0, or -EINVAL after printing an error. */
int tally_html_check(const char *html, bool html_source);

/* Return the code to include. `given` is set if --html-source or --no-html-source was given. */
static inline enum tally_html_code tally_html_code(bool given, bool html_source)
{
	if (!given)
		return TALLY_HTML_CODE_PUBLIC;
	return html_source ? TALLY_HTML_CODE_ALL : TALLY_HTML_CODE_NONE;
}

/* Check that the page can be written to `html`. Returns 0, or -errno after printing an error. */
int tally_html_check_place(const char *html, bool force);

struct tally_html_file {
	const char *command; /* prefix of the final message, or NULL for no message */
	/* Output path; "-" for stdout, which must not be a terminal; or TALLY_HTML_UNNAMED for a
	 * file named after the last input's main program. */
	const char *output;
	bool force; /* overwrite an existing file, whatever it contains */
	/* The session's options are set by tally_html_file(); an input of NULL is the default. */
	struct tally_html_request request;
};

/* Read the inputs and write the page. Returns 0 or -errno after printing an error; see
 * tally_html_build(). A page is written even if a recording is damaged. */
int tally_html_file(const struct tally_html_file *file,
		    const struct tally_recording_options *recording);

#endif
