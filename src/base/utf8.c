/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/utf8.h"

#include "base/arith.h"

size_t tally_utf8_read(const void *bytes, size_t len, uint32_t *ret_point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const uint8_t *at = bytes;
	size_t nr = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : 2;
	uint32_t point;

	if (*at < 0x80) {
		*ret_point = *at;
		return 1;
	}
	if (*at < 0xc2 || *at > 0xf4 || nr > len)
		return 0;
	point = *at & (0xffu >> (nr + 1));
	for (size_t i = 1; i < nr; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (at[i] & 0x3f);
	}
	if (point < least[nr] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
		return 0;
	*ret_point = point;
	return nr;
}

bool tally_utf8_is_shown(uint32_t point)
{
	/* Characters that are not shown, in ascending order. */
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{0x00, 0x1f},       {0x7f, 0x9f},     {0x061c, 0x061c}, /* Arabic letter mark */
		{0x200e, 0x200f},                                       /* left-to-right and
		                                                         * right-to-left mark */
		{0x2028, 0x202e},                     /* line, paragraph separator; bidi controls */
		{0x2066, 0x2069},                     /* bidi isolates */
		{0xfeff, 0xfeff},   {0xfff9, 0xfffb}, /* byte order mark, annotations */
		{0xe0000, 0xe007f},                   /* tags, which are invisible */
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(hidden) && point >= hidden[i].first; i++) {
		if (point <= hidden[i].last)
			return false;
	}
	return true;
}
