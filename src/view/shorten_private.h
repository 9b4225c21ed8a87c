/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_VIEW_SHORTEN_PRIVATE_H
#define TALLY_VIEW_SHORTEN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "view/brackets.h"

/* Text to shorten, and the output. */
struct shortener {
	const char *text;
	size_t len, columns;
	const char *mark;
	size_t mark_width;
	struct tally_str *out;
};

/* Append the text without its middle. */
void shorten_middle(const struct shortener *s, const char *text, size_t len);

/* Append the name of a function that does not fit. */
void shorten_name(const struct shortener *s);

/* Append the part of the name from offset `from` to `to`, with marks where brackets are cut. The
 * range must not split a pair of brackets. `number` is the index of the first pair after `from`.
 * Returns the index of the first pair after `to`. */
uint32_t shorten_range(const struct shortener *s, const struct tally_brackets *brackets,
		       size_t from, size_t to, uint32_t number);

/* Show the contents of brackets that are not hidden, outer pairs before inner pairs, in `slack`
 * columns. */
void shorten_fit(const struct shortener *s, struct tally_brackets *brackets, size_t slack);

/* Append a name without the scopes that do not fit, even if the contents of all brackets are
 * cut. */
void shorten_scopes(const struct shortener *s, struct tally_brackets *brackets);

#endif
