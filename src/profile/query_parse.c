/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/scan.h"
#include "base/str.h"
#include "profile/query_private.h"

enum takes { TAKES_NAME, TAKES_NUMBERS, TAKES_TIME };

/* Fields, indexed by enum query_kind. */
static const struct query_field {
	const char *name;
	enum takes takes;
} fields[QUERY_KINDS] = {
	[QUERY_ANY] = {NULL, TAKES_NAME},
	[QUERY_COMM] = {"comm", TAKES_NAME},
	[QUERY_PID] = {"pid", TAKES_NUMBERS},
	[QUERY_TID] = {"tid", TAKES_NUMBERS},
	[QUERY_CPU] = {"cpu", TAKES_NUMBERS},
	[QUERY_TIME] = {"time", TAKES_TIME},
	[QUERY_SYM] = {"sym", TAKES_NAME},
	[QUERY_DSO] = {"dso", TAKES_NAME},
	[QUERY_SELF_SYM] = {"self-sym", TAKES_NAME},
	[QUERY_SELF_DSO] = {"self-dso", TAKES_NAME},
};

struct query_parser {
	const char *text;
	size_t at;
	struct tally_query *query;
	struct tally_error *err;
	struct tally_str value; /* value of the current word, without quotes */
};

static bool is_end(char c)
{
	return !c || tally_is_blank(c);
}

static int parser_fail(const struct query_parser *parser, const char *text, size_t at)
{
	return tally_error_at(parser->err, -EINVAL, text, at);
}

/* ---- fields --------------------------------------------------------------------- */

/* Return the length of the field name at `text`, which ends with a colon, or 0 if there is no
 * field. "std::" and "LazyCompile:" begin names, not fields. */
static size_t field_len(const char *text)
{
	size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz-_");

	return text[len] == ':' && text[len + 1] != ':' ? len : 0;
}

static int parse_field(struct query_parser *parser, enum query_kind *ret_kind)
{
	const char *text = parser->text + parser->at;
	size_t len = field_len(text);

	*ret_kind = QUERY_ANY;
	if (!len)
		return 0;
	for (int kind = QUERY_ANY + 1; kind < QUERY_KINDS; kind++) {
		const char *name = fields[kind].name;

		if (strlen(name) == len && !strncmp(name, text, len)) {
			*ret_kind = (enum query_kind)kind;
			parser->at += len + 1;
			return 0;
		}
	}
	return parser_fail(
		parser,
		"unknown field: use comm, pid, tid, cpu, time, sym, dso, self-sym or self-dso; "
		"quote a name that contains a colon",
		parser->at);
}

/* ---- values --------------------------------------------------------------------- */

/* Return the offset of the '/' that ends the regular expression begun by the '/' at `at`. The
 * closing '/' must be at the end of a word. Return 0 if the word is not a regular expression. */
static size_t regex_end(const struct query_parser *parser, size_t at)
{
	const char *text = parser->text;

	for (at++; text[at]; at++) {
		if (text[at] == '\\' && text[at + 1])
			at++;
		else if (text[at] == '/' && is_end(text[at + 1]))
			return at;
	}
	return 0;
}

/* Parse the quoted string that begins at parser->at. */
static int parse_quoted(struct query_parser *parser)
{
	const char *text = parser->text;
	size_t at = parser->at + 1;

	for (; text[at] && text[at] != '"'; at++) {
		at += text[at] == '\\' && (text[at + 1] == '"' || text[at + 1] == '\\');
		tally_str_add_char(&parser->value, text[at]);
	}
	if (!text[at])
		return parser_fail(parser, "unterminated quote", parser->at);
	if (!is_end(text[at + 1]))
		return parser_fail(parser, "the closing quote must be followed by a blank", at + 1);
	parser->at = at + 1;
	return 0;
}

static int parse_plain(struct query_parser *parser)
{
	size_t start = parser->at;

	while (!is_end(parser->text[parser->at]))
		parser->at++;
	if (parser->at == start)
		return parser_fail(parser, "a name or number is missing", start);
	tally_str_add_bytes(&parser->value, parser->text + start, parser->at - start);
	return 0;
}

static int parse_name_text(struct query_parser *parser, enum tally_pattern_kind *ret_kind)
{
	const char *text = parser->text;
	bool is_whole = text[parser->at] == '=', is_exact = is_whole && text[parser->at + 1] == '=';
	size_t end = text[parser->at] == '/' ? regex_end(parser, parser->at) : 0;

	if (end) {
		*ret_kind = TALLY_PATTERN_REGEX;
		tally_str_add_bytes(&parser->value, text + parser->at + 1, end - parser->at - 1);
		parser->at = end + 1;
		return 0;
	}
	*ret_kind = is_exact   ? TALLY_PATTERN_EXACT
		    : is_whole ? TALLY_PATTERN_WHOLE
			       : TALLY_PATTERN_PART;
	parser->at += is_whole + is_exact;
	return text[parser->at] == '"' ? parse_quoted(parser) : parse_plain(parser);
}

static int parse_name(struct query_parser *parser, struct query_word *word)
{
	enum tally_pattern_kind kind;
	const char *why = NULL;
	size_t start = parser->at;
	int ret = parse_name_text(parser, &kind);

	if (!ret)
		ret = tally_str_error(&parser->value);
	if (ret)
		return ret;
	ret = tally_pattern_init(kind, tally_str_text(&parser->value), &word->pattern, &why);
	return ret == -EINVAL ? parser_fail(parser, why, start) : ret;
}

static int parse_value(struct query_parser *parser, struct query_word *word)
{
	enum takes takes = fields[word->kind].takes;
	size_t start = parser->at;
	const char *value, *why;
	int ret;

	tally_str_clear(&parser->value);
	if (takes == TAKES_NAME)
		return parse_name(parser, word);
	ret = parse_plain(parser);
	if (!ret)
		ret = tally_str_error(&parser->value);
	if (ret)
		return ret;
	value = tally_str_text(&parser->value);
	if (takes == TAKES_TIME) {
		why = "a time range is start,end in seconds (either may be omitted), "
		      "+start,+end since the first sample, or 10%-20%";
		ret = tally_time_range_parse(value, &word->time);
	} else {
		why = "expected numbers or ranges such as 0-3,5";
		ret = tally_ranges_parse(value, &word->numbers);
	}
	return ret == -EINVAL ? parser_fail(parser, why, start) : ret;
}

/* ---- words ---------------------------------------------------------------------- */

static int parse_word(struct query_parser *parser)
{
	struct tally_query *query = parser->query;
	struct query_word *word = &query->words[query->nr];
	int ret;

	if (query->nr == TALLY_QUERY_WORDS_MAX)
		return tally_error_at(parser->err, -E2BIG, "the query has more than 32 words",
				      parser->at);
	word->is_negated = parser->text[parser->at] == '-' || parser->text[parser->at] == '!';
	parser->at += word->is_negated;
	ret = parse_field(parser, &word->kind);
	if (!ret)
		ret = parse_value(parser, word);
	query->nr += !ret;
	return ret;
}

static int parse_words(struct query_parser *parser)
{
	int ret = 0;

	while (!ret) {
		while (tally_is_blank(parser->text[parser->at]))
			parser->at++;
		if (!parser->text[parser->at])
			return 0;
		ret = parse_word(parser);
	}
	return ret;
}

int tally_query_parse(const char *text, struct tally_query **ret_query, struct tally_error *err)
{
	struct query_parser parser = {.text = text, .err = err};
	int ret;

	if (strnlen(text, TALLY_QUERY_LEN_MAX + 1) > TALLY_QUERY_LEN_MAX)
		return tally_error_at(err, -E2BIG, "the query is longer than 4096 bytes",
				      TALLY_QUERY_LEN_MAX);
	parser.query = calloc(1, sizeof(*parser.query));
	ret = parser.query ? parse_words(&parser) : -ENOMEM;
	tally_str_free(&parser.value);
	if (ret == -ENOMEM)
		(void)tally_error_at(err, -ENOMEM, "out of memory", parser.at);
	if (ret)
		tally_query_free(parser.query);
	else
		*ret_query = parser.query;
	return ret;
}

void tally_query_free(struct tally_query *query)
{
	if (!query)
		return;
	for (uint32_t i = 0; i < query->nr; i++) {
		tally_pattern_free(&query->words[i].pattern);
		tally_ranges_free(&query->words[i].numbers);
	}
	free(query);
}
