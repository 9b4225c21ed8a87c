/* SPDX-License-Identifier: BSD-2-Clause */
/* The file name of the page if --html gives none: tally-PROGRAM.html. */
#ifndef TALLY_CLI_RECORDING_PAGE_NAME_H
#define TALLY_CLI_RECORDING_PAGE_NAME_H

#include <stdbool.h>

#include "base/str.h"
#include "profile/profile.h"

/* The value of --html that requests a generated name. */
#define TALLY_HTML_UNNAMED ""

/* True if the word after --html is the name of a page. False for options, and for recordings, which
 * the user meant to read. True for "-". */
bool tally_html_is_page_name(const char *word);

/* The same if a command may follow: a word that does not end in .html or .htm begins the command.
 * *.html.gz counts as a name, too, although compressed pages are not supported. */
bool tally_html_is_name_before_command(const char *word);

/* Append "tally-PROGRAM.html" without directories. Spaces and control characters become "_". */
void tally_html_add_name(const char *program, struct tally_str *out);

/* Return the name of the threads with the most samples; "profile" if there are none. */
const char *tally_html_program(const struct tally_profile *profile);

#endif
