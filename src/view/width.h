/* SPDX-License-Identifier: BSD-2-Clause */
/* How many columns of a terminal text takes: UTF-8, by tables of our own, whatever the locale. */
#ifndef TALLY_VIEW_WIDTH_H
#define TALLY_VIEW_WIDTH_H

#include <stddef.h>
#include <stdint.h>

enum { TALLY_GLYPH_BYTES = 4 };

/* One character of text, made fit for a terminal. */
struct tally_glyph_read {
	char bytes[TALLY_GLYPH_BYTES + 1]; /* UTF-8 with a NUL; what is no character is "?" */
	uint8_t width;                     /* columns: 0 (it joins the one before), 1 or 2 */
	uint8_t used;                      /* bytes of the text, at least 1 */
};

/* The first character of `len` > 0 bytes. */
struct tally_glyph_read tally_width_read(const char *text, size_t len);

/* The bytes of that character; its columns are added to `*width`. */
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

/* The columns that `len` bytes of text take, and those of a whole string. */
size_t tally_width(const char *text, size_t len);
size_t tally_width_of(const char *text);

/* How many bytes of the text's beginning, or of its end, fit into so many columns. Characters stay
 * whole, with the marks that stand on them. */
size_t tally_width_head(const char *text, size_t len, size_t columns);
size_t tally_width_tail(const char *text, size_t len, size_t columns);

#endif
