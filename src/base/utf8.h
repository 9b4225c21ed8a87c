/* SPDX-License-Identifier: BSD-2-Clause */
/* Characters to UTF-8. */
#ifndef TALLY_BASE_UTF8_H
#define TALLY_BASE_UTF8_H

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

#endif
