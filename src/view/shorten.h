/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shortening names that do not fit, so that they can still be recognized. A mark ("...") replaces
 * what is omitted. Takes time proportional to the length of the name.
 */
#ifndef TALLY_VIEW_SHORTEN_H
#define TALLY_VIEW_SHORTEN_H

#include "base/str.h"

enum tally_shorten {
	TALLY_SHORTEN_TEXT, /* omit the middle */
	/* Function: omit the contents of brackets, inner ones before outer ones; then what is
	 * before the function's own name; then what is after it. */
	TALLY_SHORTEN_NAME,
	TALLY_SHORTEN_END,  /* sentence: omit the end */
	TALLY_SHORTEN_PATH, /* path: omit leading directories; in a long file name the middle */
};

/* Shorten the text appended to `str` from byte `start` on to at most `columns` columns. The text
 * must be escaped (base/escape.h). Text that fits is not changed. */
void tally_shorten(struct tally_str *str, size_t start, enum tally_shorten how, size_t columns,
		   const char *mark);

#endif
