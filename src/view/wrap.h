/* SPDX-License-Identifier: BSD-2-Clause */
/* Comment lines that do not fit go on in the next line. */
#ifndef TALLY_VIEW_WRAP_H
#define TALLY_VIEW_WRAP_H

#include "base/str.h"

/* Break lines that are wider than so many columns, and begin with "#", at blanks, of what was
 * appended from byte `start` on, which begins a line. What goes on begins with "#   ". A word that
 * is wider, as a path may be, has a line of its own and stays whole. 0 columns: nothing is broken.
 */
void tally_wrap_comments(struct tally_str *str, size_t start, size_t columns);

#endif
