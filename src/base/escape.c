/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/escape.h"

#include "base/utf8.h"

/* Return a nonzero value if a byte of `word` is not printable ASCII. The result does not identify
 * the byte: carries and borrows cross byte boundaries, but they start only at a byte that is not
 * printable. */
static uint64_t nonprintable_bits(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101;

	return (word | (word - ones * 0x20) | (word + ones)) & ones * 0x80;
}

bool tally_text_is_plain(const char *text, size_t len)
{
	uint64_t odd = 0, word = 0x2020202020202020;

	/* Check eight bytes at a time. The last eight may overlap the previous ones. */
	for (size_t at = 0; at + 8 < len; at += 8)
		odd |= nonprintable_bits(tally_get_u64(text + at));
	if (len >= 8)
		return !(odd | nonprintable_bits(tally_get_u64(text + len - 8)));
	if (len >= 4)
		return !nonprintable_bits((uint64_t)tally_get_u32(text) << 32 |
					  tally_get_u32(text + len - 4));
	for (size_t i = 0; i < len; i++)
		word = word << 8 | (uint8_t)text[i];
	return !nonprintable_bits(word);
}

/* Return the length of the character at `at` if it is shown unchanged, or 0 if it must be escaped.
 */
static size_t shown_length(const char *at, size_t len, const char *kept, uint32_t *ret_point)
{
	size_t nr;

	if (*at >= 0x20 && *at < 0x7f)
		return 1;
	nr = tally_utf8_read(at, len, ret_point);
	if (nr && (tally_utf8_is_shown(*ret_point) || (*at && strchr(kept, *at))))
		return nr;
	return 0;
}

/* Append the escape for the character or byte at `at`. Return the number of bytes that the escape
 * replaces. */
static size_t add_escape(struct tally_str *out, const char *at, size_t len)
{
	static const char letters[] = {['\t'] = 't', ['\n'] = 'n', ['\r'] = 'r'};
	uint8_t byte = (uint8_t)*at;
	uint32_t point;
	size_t nr = tally_utf8_read(at, len, &point);

	if (nr > 1) {
		tally_str_add(out, "\\u");
		tally_str_add_hex(out, point, 4);
		return nr;
	}
	tally_str_add_char(out, '\\');
	if (byte < sizeof(letters) && letters[byte]) {
		tally_str_add_char(out, letters[byte]);
	} else {
		tally_str_add_char(out, 'x');
		tally_str_add_hex(out, byte, 2);
	}
	return 1;
}

static void escape_rest(struct tally_str *str, size_t start, const char *kept)
{
	size_t len = str->len, at = start, nr;
	struct tally_str text = {0};
	uint32_t point;

	while (at < len && (nr = shown_length(str->data + at, len - at, kept, &point)))
		at += nr;
	if (at == len)
		return;
	tally_str_add_bytes(&text, str->data + at, len - at);
	str->len = at;
	str->failed |= text.failed;
	for (at = 0, len = text.len; at < len; at += nr) {
		nr = shown_length(text.data + at, len - at, kept, &point);
		if (nr)
			tally_str_add_bytes(str, text.data + at, nr);
		else
			nr = add_escape(str, text.data + at, len - at);
	}
	tally_str_free(&text);
}

void tally_str_escape(struct tally_str *str, size_t start)
{
	if (start < str->len && !tally_text_is_plain(str->data + start, str->len - start))
		escape_rest(str, start, "");
}

void tally_str_escape_lines(struct tally_str *str, size_t start)
{
	if (start < str->len && !tally_text_is_plain(str->data + start, str->len - start))
		escape_rest(str, start, "\n\t");
}

void tally_str_add_escaped(struct tally_str *str, const char *text)
{
	size_t start = str->len;

	tally_str_add(str, text);
	tally_str_escape(str, start);
}

void tally_str_add_line(struct tally_str *str, const char *format, ...)
{
	size_t start = str->len;
	va_list args;

	va_start(args, format);
	tally_str_addv(str, format, args);
	va_end(args);
	tally_str_escape(str, start);
	tally_str_add_char(str, '\n');
}
