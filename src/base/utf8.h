/* SPDX-License-Identifier: BSD-2-Clause */
/* Characters to UTF-8 and back. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write a code point, below 0x110000, to `out`, which has room for 4 bytes: what is behind it. */
static inline char *tally_utf8_put(char *out, uint32_t point)
{
	static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
	int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;

	*out++ = (char)(first[more] | point >> 6 * more);
	while (more--)
		*out++ = (char)(0x80 | (point >> 6 * more & 0x3f));
	return out;
}

/* Read the character that `len` > 0 bytes begin with. The bytes that it takes, 0 if it is not
 * encoded as it has to be (cut, overlong, a surrogate, beyond Unicode). */
size_t tally_utf8_read(const void *bytes, size_t len, uint32_t *ret_point);

/* Whether a terminal shows a character as a glyph, and only that: no control character, of ASCII or
 * of the upper half, nothing that turns the direction of what follows or ends a line. */
bool tally_utf8_is_shown(uint32_t point);

#endif
