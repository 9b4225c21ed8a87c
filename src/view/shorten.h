/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that do not fit, made shorter so that one still knows which they are. A mark ("...") stands
 * for what is left out. The time is linear in the name's length.
 */
#ifndef TALLY_VIEW_SHORTEN_H
#define TALLY_VIEW_SHORTEN_H

#include "base/str.h"

enum tally_shorten {
	TALLY_SHORTEN_TEXT, /* in the middle */
	/* A function: what is in brackets goes first, the innermost before what is around it; then
	 * what is before the function's own name, then what is behind it. */
	TALLY_SHORTEN_NAME,
	TALLY_SHORTEN_END,  /* a sentence */
	TALLY_SHORTEN_PATH, /* whole folders at the beginning; of the file's name the middle */
};

/* Shorten what was appended to `str` from byte `start` on to at most so many columns. It was
 * escaped before (base/escape.h). What fits stays as it is. */
void tally_shorten(struct tally_str *str, size_t start, enum tally_shorten how, size_t columns,
		   const char *mark);

#endif
