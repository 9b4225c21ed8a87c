/* SPDX-License-Identifier: BSD-2-Clause */
/* Lexer for event strings: words and numbers. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "events/cursor.h"
#include "events/parse.h"

char tally_parser_peek(const struct tally_event_parser *p)
{
	return p->at < p->len ? p->text[p->at] : '\0';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void tally_parser_blanks(struct tally_event_parser *p)
{
	while (p->at < p->len && is_blank(p->text[p->at]))
		p->at++;
}

struct tally_word tally_parser_word(struct tally_event_parser *p, const char *stops)
{
	struct tally_word word = {p->text + p->at, 0};

	while (p->at < p->len && p->text[p->at] && !is_blank(p->text[p->at]) &&
	       !strchr(stops, p->text[p->at]))
		p->at++;
	word.len = (size_t)(p->text + p->at - word.text);
	return word;
}

size_t tally_parser_end(const struct tally_event_parser *p, struct tally_word word)
{
	return (size_t)(word.text - p->text) + word.len;
}

bool tally_word_is(struct tally_word word, const char *text)
{
	return tally_text_is(text, word.text, word.len);
}

const char *tally_word_dup(struct tally_event_parser *p, struct tally_word word)
{
	return tally_arena_strndup(p->arena, word.text, word.len);
}

static int digits_parse(const char *text, size_t len, unsigned base, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (!len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned c = (unsigned char)text[i];
		unsigned digit = isdigit(c)    ? c - '0'
				 : isxdigit(c) ? (unsigned)(tolower(c) - 'a') + 10
					       : 16;

		if (digit >= base)
			return -EINVAL;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return -ERANGE;
	}
	*ret_value = value;
	return 0;
}

static bool has_0x(struct tally_word word)
{
	return word.len > 2 && word.text[0] == '0' && (word.text[1] | 0x20) == 'x';
}

int tally_word_u64(struct tally_word word, uint64_t *ret_value)
{
	if (has_0x(word))
		return digits_parse(word.text + 2, word.len - 2, 16, ret_value);
	return digits_parse(word.text, word.len, 10, ret_value);
}

int tally_word_hex(struct tally_word word, uint64_t *ret_value)
{
	size_t skip = has_0x(word) ? 2 : 0;

	return digits_parse(word.text + skip, word.len - skip, 16, ret_value);
}
