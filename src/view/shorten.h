/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shortens names that do not fit, but keeps them recognizable. A mark ("...") replaces the omitted
 * part. Shortening takes time proportional to the length of the name.
 */
#ifndef TALLY_VIEW_SHORTEN_H
#define TALLY_VIEW_SHORTEN_H

#include "base/str.h"

enum tally_shorten {
	TALLY_SHORTEN_TEXT, /* omit the middle */
	/* Function name: omit the contents of brackets, inner ones before outer ones, then scopes
	 * between the first and the last one, then the first scope, then the part after the own
	 * name, then the last scope. Identifiers stay whole, unless the own name does not fit. */
	TALLY_SHORTEN_NAME,
	TALLY_SHORTEN_END,  /* sentence: omit the end */
	TALLY_SHORTEN_PATH, /* path: omit leading directories, then the middle of the file name */
};

/* Shorten the part of `str` that begins at byte `start` to at most `columns` columns. The text must
 * be escaped (base/escape.h). Text that fits is not changed. */
void tally_shorten(struct tally_str *str, size_t start, enum tally_shorten how, size_t columns,
		   const char *mark);

#endif
