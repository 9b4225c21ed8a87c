/* SPDX-License-Identifier: BSD-2-Clause */
/* The name of the page where --html gives none: tally-PROGRAM.html. */
#ifndef TALLY_CLI_RECORDING_PAGE_NAME_H
#define TALLY_CLI_RECORDING_PAGE_NAME_H

#include <stdbool.h>

#include "base/str.h"
#include "profile/profile.h"

/* The value of --html that stands for a name to be made. */
#define TALLY_HTML_UNNAMED ""

/* Whether the word behind --html names a page. It does not if it is an option, or a recording,
 * which whoever wrote it meant to be read. "-" does. */
bool tally_html_is_name(const char *word);

/* The same where a command may follow, which a word begins that is not called *.html. *.html.gz is
 * a name, too, though no page is written packed. */
bool tally_html_is_name_before_command(const char *word);

/* Append "tally-PROGRAM.html". What is no part of a file's name, or of an option, is left out of
 * it: directories, control characters, "/". */
void tally_html_add_name(const char *program, struct tally_str *out);

/* The name of the threads with the most samples; "profile" if there is none. */
const char *tally_html_program(const struct tally_profile *profile);

#endif
