/* SPDX-License-Identifier: BSD-2-Clause */
/* Lexer for event strings: words and numbers. */
#include <errno.h>
#include <string.h>

#include "base/scan.h"
#include "base/text.h"
#include "events/cursor.h"
#include "events/parse.h"

char tally_parser_peek(const struct tally_event_parser *p)
{
	return p->at < p->len ? p->text[p->at] : '\0';
}

/* Vertical tabs and form feeds are not blanks in event strings. */
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

/* Return the result of scanning a whole word. */
static int word_end(const struct tally_scan *scan, int ret)
{
	return !ret && scan->at != scan->end ? -EINVAL : ret;
}

int tally_word_u64(struct tally_word word, uint64_t *ret_value)
{
	struct tally_scan scan = tally_scan_of(word.text, word.len);

	return word_end(&scan, tally_scan_prefixed(&scan, ret_value));
}

int tally_word_hex(struct tally_word word, uint64_t *ret_value)
{
	struct tally_scan scan = tally_scan_of(word.text, word.len);

	if (!tally_scan_text(&scan, "0x"))
		(void)tally_scan_text(&scan, "0X");
	return word_end(&scan, tally_scan_number(&scan, 16, ret_value));
}
