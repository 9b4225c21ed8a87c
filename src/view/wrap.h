/* SPDX-License-Identifier: BSD-2-Clause */
/* Wraps long lines. */
#ifndef TALLY_VIEW_WRAP_H
#define TALLY_VIEW_WRAP_H

#include "base/str.h"

/* Wrap lines that begin with "#" and are wider than `columns`. Only the text from byte `start` on
 * is wrapped; `start` must be the start of a line. Lines are broken at spaces. Each
 * continuation line begins with "#" and three spaces. A longer word, such as a path, is not broken
 * but put on a line of its own. If `columns` is 0, nothing is wrapped. */
void tally_wrap_comments(struct tally_str *str, size_t start, size_t columns);

/* Remove "# " from the start of each line of the text from byte `start` on, and remove lines that
 * contain nothing else. Used for output in which these lines are not comments. */
void tally_unmark_comments(struct tally_str *str, size_t start);

/* Append text, wrapped to `columns` columns, at least two. Lines are broken at blanks; only words
 * wider than a line are broken. Continuation lines are indented by `indent` columns, space
 * permitting. */
void tally_wrap_text(const char *text, size_t columns, size_t indent, struct tally_str *out);

#endif
