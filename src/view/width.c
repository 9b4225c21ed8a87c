/* SPDX-License-Identifier: BSD-2-Clause */
#include "view/width.h"

#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "base/escape.h"
#include "base/utf8.h"

/* Ranges of code points that do not occupy one column: those with East Asian Width W or F in
 * Unicode, and marks and joiners that combine with the preceding character. Sorted in ascending
 * order. */
static const struct range {
	uint32_t first, last;
	uint8_t width;
} ranges[] = {
	{0x0300, 0x036f, 0},   {0x0483, 0x0489, 0},   {0x0591, 0x05bd, 0},   {0x0610, 0x061a, 0},
	{0x064b, 0x065f, 0},   {0x1100, 0x115f, 2},   {0x1ab0, 0x1aff, 0},   {0x1dc0, 0x1dff, 0},
	{0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},   {0x2329, 0x232a, 2},   {0x2e80, 0x303e, 2},
	{0x3041, 0xa4cf, 2},   {0xa960, 0xa97c, 2},   {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},
	{0xfe00, 0xfe0f, 0},   {0xfe10, 0xfe19, 2},   {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},
	{0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2},
	{0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2}, {0xe0100, 0xe01ef, 0},
};

static uint8_t width_of(uint32_t code)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(ranges) && code >= ranges[i].first; i++) {
		if (code <= ranges[i].last)
			return ranges[i].width;
	}
	return 1;
}

struct tally_glyph_read tally_width_read(const char *text, size_t len)
{
	const unsigned char *at = (const unsigned char *)text;
	struct tally_glyph_read glyph = {.bytes = "?", .width = 1, .used = 1};
	uint32_t code = 0;
	size_t nr;

	if (*at >= ' ' && *at < 0x7f) {
		glyph.bytes[0] = (char)*at;
		return glyph;
	}
	nr = tally_utf8_read(at, len, &code);
	if (!nr || !tally_utf8_is_shown(code))
		return glyph;
	memcpy(glyph.bytes, text, nr);
	glyph.bytes[nr] = '\0';
	glyph.used = (uint8_t)nr;
	glyph.width = width_of(code);
	return glyph;
}

size_t tally_width(const char *text, size_t len)
{
	size_t width = 0;

	if (tally_text_is_plain(text, len))
		return len;
	for (size_t at = 0; at < len;)
		at += tally_width_step(text + at, len - at, &width);
	return width;
}

size_t tally_width_of(const char *text)
{
	return tally_width(text, strlen(text));
}

size_t tally_width_head(const char *text, size_t len, size_t columns)
{
	size_t width = 0, at = 0;

	while (at < len) {
		size_t used = tally_width_step(text + at, len - at, &width);

		if (width > columns)
			break;
		at += used;
	}
	return at;
}

size_t tally_width_tail(const char *text, size_t len, size_t columns)
{
	size_t width = tally_width(text, len), at = 0;

	/* If the width equals the length, all characters are single bytes. */
	if (width == len)
		return TALLY_MIN(len, columns);
	while (at < len) {
		size_t own = 0, used = tally_width_step(text + at, len - at, &own);

		/* If a character is omitted, its combining marks are omitted as well. */
		if (width <= columns && (own || !at))
			break;
		width -= own;
		at += used;
	}
	return len - at;
}
