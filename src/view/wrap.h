/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrapping of long lines. */
#ifndef TALLY_VIEW_WRAP_H
#define TALLY_VIEW_WRAP_H

#include "base/str.h"

/* Wrap lines that begin with "#" and are wider than `columns`, in the text appended from byte
 * `start` on, where a line must begin. Lines are broken at blanks, and continue with "#   ". A
 * longer word, such as a path, stays whole on a separate line. If `columns` is 0, nothing is
 * wrapped. */
void tally_wrap_comments(struct tally_str *str, size_t start, size_t columns);

/* Remove "# " from the start of each line of the text appended from byte `start` on, and remove
 * lines that contain nothing else. For output in which these lines are not comments. */
void tally_unmark_comments(struct tally_str *str, size_t start);

/* Append text, wrapped to `columns` columns, at least two. Lines are broken at blanks; words are
 * broken only if they are wider. Continuation lines are indented by `indent` columns, if there is
 * space for it. */
void tally_wrap_text(const char *text, size_t columns, size_t indent, struct tally_str *out);

#endif
