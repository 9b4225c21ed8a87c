/* SPDX-License-Identifier: BSD-2-Clause */
/* Width of UTF-8 text in terminal columns. Built-in tables make it independent of the locale. */
#ifndef TALLY_VIEW_WIDTH_H
#define TALLY_VIEW_WIDTH_H

#include <stddef.h>
#include <stdint.h>

enum { TALLY_GLYPH_BYTES = 4 };

/* One character of text, in a form that is safe for a terminal. */
struct tally_glyph_read {
	char bytes[TALLY_GLYPH_BYTES + 1]; /* NUL-terminated UTF-8; "?" for an invalid character */
	uint8_t width;                     /* columns: 0 (a combining mark), 1 or 2 */
	uint8_t used;                      /* bytes of text consumed, at least 1 */
};

/* Return the first character of `len` bytes of text. `len` must not be 0. */
struct tally_glyph_read tally_width_read(const char *text, size_t len);

/* Return the length of the first character in bytes, and add its width to `*width`. */
static inline size_t tally_width_step(const char *text, size_t len, size_t *width)
{
	struct tally_glyph_read glyph;

	if (*text >= ' ' && *text < 0x7f) {
		++*width;
		return 1;
	}
	glyph = tally_width_read(text, len);
	*width += glyph.width;
	return glyph.used;
}

/* Return the width, in columns, of `len` bytes of text or of a whole string. */
size_t tally_width(const char *text, size_t len);
size_t tally_width_of(const char *text);

/* Return how many bytes at the start (or end) of the text fit into `columns` columns. Characters
 * are not separated from their combining marks. */
size_t tally_width_head(const char *text, size_t len, size_t columns);
size_t tally_width_tail(const char *text, size_t len, size_t columns);

#endif
