/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "base/arith.h"
#include "jevents/json_read.h"
#include "jevents/json_string.h"

struct open_container {
	struct tally_json_value *container;
	struct tally_json_value **tail; /* pointer that will link the next child */
	bool comma;                     /* a comma was read after the last child */
};

struct parse {
	struct tally_json_reader reader;
	struct open_container frames[TALLY_JSON_DEPTH];
	int depth;
	struct tally_json_value *root;
};

static int parse_error(const struct parse *parse, const char *what, const char *why)
{
	tally_source_emit(parse->reader.source, TALLY_DIAGNOSTIC_ERROR, parse->reader.at, why, "%s",
			  what);
	return -EINVAL;
}

/* Return the next non-blank byte without consuming it, or -1 at the end. */
static int peek_byte(struct parse *parse)
{
	const struct tally_source *source = parse->reader.source;

	while (parse->reader.at < source->len) {
		unsigned char c = source->text[parse->reader.at];

		if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return c;
		parse->reader.at++;
	}
	return -1;
}

/* Read a number or word: all bytes up to the first byte that may follow a value. */
static int scalar_read(struct parse *parse, struct tally_json_value *value)
{
	static const struct {
		const char *word;
		enum tally_json_kind kind;
	} words[] = {
		{"null", TALLY_JSON_NULL},
		{"true", TALLY_JSON_TRUE},
		{"false", TALLY_JSON_FALSE},
	};
	static const char tokens[] =
		"+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	const struct tally_source *source = parse->reader.source;
	const char *begin = source->text + parse->reader.at, *end = source->text + source->len;
	const char *at = begin;

	while (at < end && memchr(tokens, *at, sizeof(tokens) - 1))
		at++;
	value->kind = TALLY_JSON_NUMBER;
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == (size_t)(at - begin) &&
		    !memcmp(words[i].word, begin, at - begin))
			value->kind = words[i].kind;
	if (at == begin ||
	    (value->kind == TALLY_JSON_NUMBER && *begin != '-' && (*begin < '0' || *begin > '9')))
		return parse_error(parse, "not a JSON value",
				   "expected a string, number, list, object, true, "
				   "false or null");
	value->text = tally_arena_strndup(parse->reader.arena, begin, at - begin);
	parse->reader.at = at - source->text;
	return value->text ? 0 : -ENOMEM;
}

static int container_open(struct parse *parse, struct tally_json_value *value)
{
	if (parse->depth == TALLY_JSON_DEPTH) {
		parse_error(parse, "nested too deeply",
			    "the limit is 32 levels; event trees need only three");
		return -E2BIG;
	}
	parse->reader.at++;
	parse->frames[parse->depth++] = (struct open_container){value, &value->first, false};
	return 0;
}

/* Read the next value and append it to its container. Containers remain open. */
static int value_read(struct parse *parse, const char *key)
{
	struct tally_json_value *value = tally_arena_alloc(parse->reader.arena, sizeof(*value));
	int c = peek_byte(parse);

	if (!value)
		return -ENOMEM;
	*value = (struct tally_json_value){.key = key, .offset = parse->reader.at};
	if (parse->depth) {
		struct open_container *frame = &parse->frames[parse->depth - 1];

		*frame->tail = value;
		frame->tail = &value->next;
		frame->comma = false;
	} else {
		parse->root = value;
	}
	switch (c) {
	case '{': value->kind = TALLY_JSON_OBJECT; return container_open(parse, value);
	case '[': value->kind = TALLY_JSON_ARRAY; return container_open(parse, value);
	case '"':
		value->kind = TALLY_JSON_STRING;
		return tally_json_string(&parse->reader, &value->text);
	default: return scalar_read(parse, value);
	}
}

static int member_read(struct parse *parse)
{
	const char *key;
	int ret;

	if (peek_byte(parse) != '"')
		return parse_error(parse, "missing key",
				   "object members have the form \"key\": value");
	ret = tally_json_string(&parse->reader, &key);
	if (ret)
		return ret;
	if (peek_byte(parse) != ':')
		return parse_error(parse, "missing colon after the key",
				   "object members have the form \"key\": value");
	parse->reader.at++;
	return value_read(parse, key);
}

/* Process one item in the innermost container: a comma, a child, or the container's end. */
static int parse_step(struct parse *parse)
{
	struct open_container *frame = &parse->frames[parse->depth - 1];
	bool object = frame->container->kind == TALLY_JSON_OBJECT;
	bool first = frame->tail == &frame->container->first;
	int c = peek_byte(parse);

	if (c < 0)
		return parse_error(parse, "the file ends inside a list or object",
				   "its closing bracket is missing");
	if (c == ',') {
		if (first || frame->comma)
			tally_json_quirk(&parse->reader, TALLY_QUIRK_COMMA, parse->reader.at);
		frame->comma = true;
		parse->reader.at++;
		return 0;
	}
	if (c == (object ? '}' : ']')) {
		if (frame->comma && !first)
			tally_json_quirk(&parse->reader, TALLY_QUIRK_COMMA, parse->reader.at);
		parse->reader.at++;
		parse->depth--;
		return 0;
	}
	if (!first && !frame->comma) {
		if (c != '{' && c != '"')
			return parse_error(parse, "missing comma or closing bracket",
					   "expected a comma or closing bracket after a value");
		tally_json_quirk(&parse->reader, TALLY_QUIRK_MISSING_COMMA, parse->reader.at);
	}
	return object ? member_read(parse) : value_read(parse, NULL);
}

int tally_json_read(const struct tally_source *source, struct tally_arena *arena,
		    const struct tally_json_value **ret_root)
{
	struct parse parse = {.reader = {.source = source, .arena = arena}};
	int ret;

	if (source->len > TALLY_JSON_SIZE) {
		tally_source_emit(source, TALLY_DIAGNOSTIC_ERROR, TALLY_SOURCE_WHOLE,
				  "the limit is 64 MiB", "file too large");
		return -E2BIG;
	}
	if (source->len >= 3 && !memcmp(source->text, "\xef\xbb\xbf", 3)) {
		tally_json_quirk(&parse.reader, TALLY_QUIRK_MARK, 0);
		parse.reader.at = 3;
	}
	ret = value_read(&parse, NULL);
	while (!ret && parse.depth)
		ret = parse_step(&parse);
	if (!ret && peek_byte(&parse) >= 0)
		ret = parse_error(&parse, "text after the end",
				  "a file contains one list or object");
	if (!ret)
		*ret_root = parse.root;
	return ret;
}
