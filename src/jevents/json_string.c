/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "base/utf8.h"
#include "jevents/json_string.h"

static const struct {
	enum tally_json_quirk quirk;
	const char *what, *why;
} quirks[] = {
	{TALLY_QUIRK_COMMA, "superfluous comma", "ignored"},
	{TALLY_QUIRK_MISSING_COMMA, "missing comma between two values", "assumed"},
	{TALLY_QUIRK_CONTROL, "control character in a string", "kept; JSON requires an escape"},
	{TALLY_QUIRK_ESCAPE, "invalid escape", "kept with its backslash"},
	{TALLY_QUIRK_UTF8, "bytes that are not UTF-8", "kept unchanged"},
	{TALLY_QUIRK_SURROGATE, "incomplete surrogate pair", "replaced by U+FFFD"},
	{TALLY_QUIRK_MARK, "byte order mark", "ignored"},
};

void tally_json_quirk(struct tally_json_reader *reader, enum tally_json_quirk quirk, size_t offset)
{
	if (reader->quirks & quirk)
		return;
	reader->quirks |= quirk;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(quirks); i++)
		if (quirks[i].quirk == quirk)
			tally_source_emit(reader->source, TALLY_DIAGNOSTIC_WARNING, offset,
					  quirks[i].why, "%s", quirks[i].what);
}

/* Return the value of four hex digits at `text`, or -1. */
static int hex4(const char *text, size_t left)
{
	int value = 0;

	if (left < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = text[i] | 0x20;

		if (c >= '0' && c <= '9' && text[i] >= '0')
			value = value * 16 + c - '0';
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + c - 'a' + 10;
		else
			return -1;
	}
	return value;
}

/* Decode the \u escape at `text`, including the second half of a surrogate pair. Returns the number
 * of bytes consumed, or 0 if it is not a valid \u escape. */
static size_t point_read(struct tally_json_reader *reader, const char *text, size_t left,
			 uint32_t *ret_point)
{
	int high = hex4(text + 2, left - 2), low;

	if (high < 0)
		return 0;
	*ret_point = high;
	if (high < 0xd800 || high > 0xdfff)
		return 6;
	low = left >= 12 && text[6] == '\\' && text[7] == 'u' ? hex4(text + 8, left - 8) : -1;
	if (high < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
		*ret_point = 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (low - 0xdc00);
		return 12;
	}
	tally_json_quirk(reader, TALLY_QUIRK_SURROGATE, text - reader->source->text);
	*ret_point = 0xfffd;
	return 6;
}

/* Decode the escape at `*text` and advance both pointers. Returns 0, or -EINVAL if it encodes
 * NUL. */
static int escape_read(struct tally_json_reader *reader, const char **text, size_t left, char **out)
{
	static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *known = memchr(plain, (*text)[1], sizeof(plain) - 1);
	uint32_t point = 0;
	size_t took = 2;

	if (known) {
		*(*out)++ = meant[known - plain];
	} else if ((*text)[1] == 'u' && (took = point_read(reader, *text, left, &point))) {
		if (!point)
			return -EINVAL;
		*out = tally_utf8_put(*out, point);
	} else {
		tally_json_quirk(reader, TALLY_QUIRK_ESCAPE, *text - reader->source->text);
		*(*out)++ = '\\';
		took = 1;
	}
	*text += took;
	return 0;
}

/* Decode [text, end) into `out`, which has space for the same number of bytes plus a NUL. Returns
 * 0, or -EINVAL with the position of the error in `*ret_bad`. */
static int string_decode(struct tally_json_reader *reader, const char *text, const char *end,
			 char *out, const char **ret_bad)
{
	while (text < end) {
		unsigned char c = *text;
		size_t len = 1;
		uint32_t point;

		if (c == '\\') {
			if (escape_read(reader, &text, end - text, &out)) {
				*ret_bad = text;
				return -EINVAL;
			}
			continue;
		}
		if (!c) {
			*ret_bad = text;
			return -EINVAL;
		}
		if (c < 0x20)
			tally_json_quirk(reader, TALLY_QUIRK_CONTROL, text - reader->source->text);
		if (c >= 0x80 && !(len = tally_utf8_read(text, (size_t)(end - text), &point))) {
			tally_json_quirk(reader, TALLY_QUIRK_UTF8, text - reader->source->text);
			len = 1;
		}
		memcpy(out, text, len);
		out += len;
		text += len;
	}
	*out = '\0';
	return 0;
}

/* Return the closing quote of the string that starts at `text`, or NULL. A string cannot extend
 * past the end of its line, so a missing quote does not consume the remainder of the file. */
static const char *string_end(const char *text, const char *end, bool *ret_plain)
{
	*ret_plain = true;
	for (; text < end && *text != '\n'; text++) {
		if (*text == '"')
			return text;
		if (*text == '\\') {
			*ret_plain = false;
			if (++text == end || *text == '\n')
				return NULL;
		} else if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x80) {
			*ret_plain = false;
		}
	}
	return NULL;
}

int tally_json_string(struct tally_json_reader *reader, const char **ret_text)
{
	const struct tally_source *source = reader->source;
	const char *begin = source->text + reader->at + 1, *bad;
	bool plain;
	const char *end = string_end(begin, source->text + source->len, &plain);
	char *out;

	if (!end) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, reader->at,
				  "a string must end on the line on which it begins",
				  "missing closing quote");
		return -EINVAL;
	}
	/* A decoded string is never longer than its source: a \u escape is six bytes long and
	 * decodes to at most three. */
	out = plain ? tally_arena_strndup(reader->arena, begin, end - begin)
		    : tally_arena_bytes(reader->arena, end - begin + 1);
	if (!out)
		return -ENOMEM;
	if (!plain && string_decode(reader, begin, end, out, &bad)) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, bad - source->text,
				  "not supported", "NUL in a string");
		return -EINVAL;
	}
	*ret_text = out;
	reader->at = end - source->text + 1;
	return 0;
}
