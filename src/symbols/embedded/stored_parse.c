/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser for embedded symbols. They may be untrusted, so every count is checked against the
 * remaining bytes before memory is allocated for it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/embedded/stored_format.h"
#include "unwind/bytes.h"

/* Minimum size of each kind of element in bytes. */
enum {
	OBJECT_LEAST = 14,
	SYMBOL_LEAST = 3,
	EXCEPTION_LEAST = 2,
	ASTRAY_LEAST = 1,
	SPAN_LEAST = 3,
	LINE_LEAST = 3,
};

/* Kinds and states in the order of their codes in a section. Codes start at 0 and never change. */
static const enum tally_dso_kind kinds[] = {
	TALLY_DSO_USER, TALLY_DSO_KERNEL, TALLY_DSO_MODULE, TALLY_DSO_VDSO, TALLY_DSO_PERF_MAP,
};
static const enum tally_dso_state states[] = {
	TALLY_DSO_LOADED,     TALLY_DSO_MISSING,     TALLY_DSO_MISMATCH, TALLY_DSO_NO_SYMBOLS,
	TALLY_DSO_NOT_ELF,    TALLY_DSO_BROKEN,      TALLY_DSO_DENIED,   TALLY_DSO_UNSUPPORTED,
	TALLY_DSO_TOO_LARGE,  TALLY_DSO_TRUNCATED,   TALLY_DSO_FOREIGN,  TALLY_DSO_REPLACED,
	TALLY_DSO_CHANGED,    TALLY_DSO_NOT_TRUSTED, TALLY_DSO_NO_FILE,  TALLY_DSO_NO_MEMORY,
	TALLY_DSO_DEBUG_ONLY, TALLY_DSO_REMOVED,
};

int tally_stored_kind_code(enum tally_dso_kind kind)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(kinds); i++) {
		if (kinds[i] == kind)
			return (int)i;
	}
	return -1;
}

bool tally_stored_kind(uint64_t code, enum tally_dso_kind *ret_kind)
{
	if (code < TALLY_ARRAY_SIZE(kinds))
		*ret_kind = kinds[code];
	return code < TALLY_ARRAY_SIZE(kinds);
}

int tally_stored_state_code(enum tally_dso_state state)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(states); i++) {
		if (states[i] == state)
			return (int)i;
	}
	return -1;
}

bool tally_stored_state(uint64_t code, enum tally_dso_state *ret_state)
{
	if (code < TALLY_ARRAY_SIZE(states))
		*ret_state = states[code];
	return code < TALLY_ARRAY_SIZE(states);
}

/* ---- primitives ------------------------------------------------------------- */

struct stored_parser {
	struct tally_bytes_reader in;
	const char *text; /* ends with a NUL */
	size_t text_len;
	bool no_memory;
};

/* Read a number of elements and allocate an array for them, or return NULL if the number is 0. It
 * is an error if the remaining bytes cannot contain that many elements. */
static void *array_read(struct stored_parser *parser, size_t size, size_t least, size_t *ret_nr)
{
	uint64_t nr = tally_bytes_uleb(&parser->in);
	void *array;

	if (nr > tally_bytes_left(&parser->in) / least)
		parser->in.failed = true;
	if (!nr || parser->in.failed)
		return NULL;
	array = calloc(nr, size);
	parser->no_memory |= !array;
	parser->in.failed |= !array;
	*ret_nr = array ? nr : 0;
	return array;
}

/* Read a number that must fit in 32 bits. */
static uint32_t u32_read(struct stored_parser *parser)
{
	uint64_t value = tally_bytes_uleb(&parser->in);

	parser->in.failed |= value > UINT32_MAX;
	return (uint32_t)value;
}

/* Return the name at an offset. The name must not be longer than `max` bytes. */
static const char *text_at(struct stored_parser *parser, uint64_t offset, size_t max)
{
	size_t room = offset < parser->text_len ? parser->text_len - offset : 0;

	if (room && memchr(parser->text + offset, '\0', TALLY_MIN(room, max + 1)))
		return parser->text + offset;
	parser->in.failed = true;
	return "";
}

/* Read an optional name, encoded as its offset plus one, or as 0 if there is no name. */
static const char *text_read_optional(struct stored_parser *parser)
{
	uint64_t offset = tally_bytes_uleb(&parser->in);

	return offset ? text_at(parser, offset - 1, TALLY_STORED_NAME_MAX) : NULL;
}

/* Return the sum of `base` and the next number. Overflow is an error. */
static uint64_t sum_read(struct stored_parser *parser, uint64_t base)
{
	uint64_t sum;

	if (__builtin_add_overflow(base, tally_bytes_uleb(&parser->in), &sum))
		parser->in.failed = true;
	return sum;
}

/* ---- parts of an object ------------------------------------------------------ */

static void symbols_read(struct stored_parser *parser, struct tally_stored_object *object)
{
	uint64_t start = 0;

	object->symbols =
		array_read(parser, sizeof(*object->symbols), SYMBOL_LEAST, &object->nr_symbols);
	for (size_t i = 0; i < object->nr_symbols && !parser->in.failed; i++) {
		struct tally_stored_symbol *one = &object->symbols[i];
		uint64_t name;

		start = sum_read(parser, start);
		one->end = sum_read(parser, start);
		name = tally_bytes_uleb(&parser->in);
		one->is_bound = name & 1;
		one->symbol = (struct tally_symbol){start, one->is_bound ? start : one->end};
		one->symbol.name_text = text_at(parser, name >> 1, TALLY_STORED_NAME_MAX);
	}
}

static void exceptions_read(struct stored_parser *parser, struct tally_stored_object *object)
{
	uint64_t addr = 0;

	object->exceptions = array_read(parser, sizeof(*object->exceptions), EXCEPTION_LEAST,
					&object->nr_exceptions);
	for (size_t i = 0; i < object->nr_exceptions && !parser->in.failed; i++) {
		uint64_t symbol;

		addr = sum_read(parser, addr);
		symbol = tally_bytes_uleb(&parser->in);
		parser->in.failed |= symbol > object->nr_symbols;
		if (parser->in.failed)
			return;
		object->exceptions[i].addr = addr;
		object->exceptions[i].symbol = symbol ? &object->symbols[symbol - 1] : NULL;
	}
}

static void non_returns_read(struct stored_parser *parser, struct tally_stored_object *object)
{
	uint64_t addr = 0;

	object->astray =
		array_read(parser, sizeof(*object->astray), ASTRAY_LEAST, &object->nr_astray);
	for (size_t i = 0; i < object->nr_astray && !parser->in.failed; i++)
		object->astray[i] = addr = sum_read(parser, addr);
}

/* Read the lines of all spans, which are stored consecutively. */
static void lines_read(struct stored_parser *parser, struct tally_stored_object *object)
{
	object->lines = array_read(parser, sizeof(*object->lines), LINE_LEAST, &object->nr_lines);
	for (size_t i = 0; i < object->nr_lines && !parser->in.failed; i++) {
		object->lines[i].function = text_read_optional(parser);
		object->lines[i].file = text_read_optional(parser);
		object->lines[i].line = u32_read(parser);
	}
}

static void spans_read(struct stored_parser *parser, struct tally_stored_object *object)
{
	uint64_t end = 0;
	size_t first = 0;

	object->spans = array_read(parser, sizeof(*object->spans), SPAN_LEAST, &object->nr_spans);
	for (size_t i = 0; i < object->nr_spans && !parser->in.failed; i++) {
		struct tally_stored_span *span = &object->spans[i];
		uint64_t nr;

		span->at.start = sum_read(parser, end);
		span->at.end = end = sum_read(parser, span->at.start);
		nr = tally_bytes_uleb(&parser->in);
		parser->in.failed |= nr > object->nr_lines - first;
		if (parser->in.failed)
			return;
		span->lines = object->lines + first;
		span->nr = nr;
		first += nr;
	}
}

/* ---- objects ------------------------------------------------------------------ */

static void identity_read(struct stored_parser *parser, struct tally_stored_object *object)
{
	struct tally_bytes_reader *in = &parser->in;
	const uint8_t *id;

	in->failed |= !tally_stored_kind(tally_bytes_uleb(in), &object->kind);
	in->failed |= !tally_stored_state(tally_bytes_uleb(in), &object->state);
	object->name = text_at(parser, tally_bytes_uleb(in), TALLY_STORED_OBJECT_NAME_MAX);
	object->pid = (pid_t)u32_read(parser);
	object->inode.ino = tally_bytes_uleb(in);
	object->inode.maj = u32_read(parser);
	object->inode.min = u32_read(parser);
	object->build_id.size = tally_bytes_u8(in);
	in->failed |= object->build_id.size > TALLY_BUILD_ID_MAX;
	id = in->failed ? NULL : tally_bytes_skip(in, object->build_id.size);
	if (id)
		memcpy(object->build_id.id, id, object->build_id.size);
}

/* Read an object. It starts with its length, so parts that a newer writer added at the end are
 * skipped. */
static void object_read(struct stored_parser *parser, struct tally_stored_object *object)
{
	uint64_t len = tally_bytes_uleb(&parser->in);
	const uint8_t *bytes = tally_bytes_skip(&parser->in, len);
	struct stored_parser inner = *parser;

	if (!bytes)
		return;
	inner.in.at = bytes;
	inner.in.end = bytes + len;
	identity_read(&inner, object);
	symbols_read(&inner, object);
	exceptions_read(&inner, object);
	non_returns_read(&inner, object);
	lines_read(&inner, object);
	spans_read(&inner, object);
	parser->in.failed |= inner.in.failed;
	parser->no_memory |= inner.no_memory;
	if (inner.in.failed)
		parser->in.at = inner.in.at;
}

void tally_stored_free(struct tally_stored *stored)
{
	if (!stored)
		return;
	for (size_t i = 0; i < stored->nr; i++) {
		free(stored->objects[i].symbols);
		free(stored->objects[i].exceptions);
		free(stored->objects[i].astray);
		free(stored->objects[i].spans);
		free(stored->objects[i].lines);
	}
	free(stored->objects);
	free(stored);
}

/* Read the header: magic, version, 0, size of the strings, size of the objects. It is followed by
 * the strings and the objects. */
static int header_read(struct stored_parser *parser, struct tally_error *err)
{
	struct tally_bytes_reader *in = &parser->in;
	const uint8_t *magic = tally_bytes_skip(in, 8);
	uint32_t version = tally_bytes_u32(in);
	uint64_t objects;

	(void)tally_bytes_u32(in);
	parser->text_len = tally_bytes_u64(in);
	objects = tally_bytes_u64(in);
	if (in->failed || memcmp(magic, TALLY_STORED_MAGIC, 8))
		return tally_error_at(err, -EINVAL, "not a section of embedded symbols", 0);
	if (version != TALLY_STORED_VERSION)
		return tally_error_at(err, -ENOTSUP,
				      "embedded symbols in an unsupported newer version", 8);
	parser->text = (const char *)tally_bytes_skip(in, parser->text_len);
	if (in->failed || !parser->text_len || parser->text[parser->text_len - 1] ||
	    objects > tally_bytes_left(in))
		return tally_error_at(err, -EINVAL, "embedded symbols exceed their section", 16);
	in->end = in->at + objects;
	return 0;
}

int tally_stored_parse(const void *bytes, size_t len, struct tally_stored **ret_stored,
		       struct tally_error *err)
{
	const uint8_t *start = bytes;
	struct stored_parser parser = {.in = {start, start + len, TALLY_HOST_BIG_ENDIAN, false}};
	struct tally_stored *stored;
	int ret = header_read(&parser, err);

	if (ret)
		return ret;
	stored = calloc(1, sizeof(*stored));
	if (!stored)
		return -ENOMEM;
	stored->objects = array_read(&parser, sizeof(*stored->objects), OBJECT_LEAST, &stored->nr);
	parser.in.failed |= stored->nr >= UINT32_MAX;
	for (size_t i = 0; i < stored->nr && !parser.in.failed; i++)
		object_read(&parser, &stored->objects[i]);
	if (!parser.in.failed) {
		*ret_stored = stored;
		return 0;
	}
	tally_stored_free(stored);
	return tally_error_at(err, parser.no_memory ? -ENOMEM : -EINVAL, "damaged embedded symbols",
			      (uint64_t)(parser.in.at - start));
}
