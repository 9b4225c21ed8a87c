/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that do not fit go on in the next line. */
#ifndef TALLY_VIEW_WRAP_H
#define TALLY_VIEW_WRAP_H

#include "base/str.h"

/* Break lines that are wider than so many columns, and begin with "#", at blanks, of what was
 * appended from byte `start` on, which begins a line. What goes on begins with "#   ". A word that
 * is wider, as a path may be, has a line of its own and stays whole. 0 columns: nothing is broken.
 */
void tally_wrap_comments(struct tally_str *str, size_t start, size_t columns);

/* Take the "# " from the beginning of each line of what was appended from byte `start` on, and drop
 * lines without anything else: for where they are no comments. */
void tally_unmark_comments(struct tally_str *str, size_t start);

/* Append lines of text, none of which is wider than so many columns, at least two: broken at
 * blanks, and a word that is wider where it has to be. What goes on is indented by `indent`
 * columns, where that leaves room. */
void tally_wrap_text(const char *text, size_t columns, size_t indent, struct tally_str *out);

#endif
