/* SPDX-License-Identifier: BSD-2-Clause */
/* Default file name for --html without an argument: tally-PROGRAM.html. */
#ifndef TALLY_CLI_RECORDING_PAGE_NAME_H
#define TALLY_CLI_RECORDING_PAGE_NAME_H

#include <stdbool.h>

#include "base/str.h"
#include "profile/profile.h"

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

/* Return the name of the threads with the most samples, or "profile" if there are no samples. */
const char *tally_html_program(const struct tally_profile *profile);

#endif
