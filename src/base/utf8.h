/* SPDX-License-Identifier: BSD-2-Clause */
/* Encode and decode UTF-8. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write a code point below 0x110000 to `out`, which has space for 4 bytes. Return the end of the
 * character. */
static inline char *tally_utf8_put(char *out, uint32_t point)
{
	static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
	int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;

	*out++ = (char)(first[more] | point >> 6 * more);
	while (more--)
		*out++ = (char)(0x80 | (point >> 6 * more & 0x3f));
	return out;
}

/* Decode the character at the start of `len` > 0 bytes. Return its length in bytes, or 0 if the
 * encoding is invalid (truncated, overlong, a surrogate, or beyond Unicode). */
size_t tally_utf8_read(const void *bytes, size_t len, uint32_t *ret_point);

/* Return true if a terminal displays the character as a glyph without any other effect. Return
 * false for ASCII and Latin-1 control characters, direction changes and line separators. */
bool tally_utf8_is_shown(uint32_t point);

#endif
