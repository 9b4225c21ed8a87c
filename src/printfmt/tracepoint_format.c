/* SPDX-License-Identifier: BSD-2-Clause */
/* tracefs `format` files, which describe the layout of a tracepoint's payload. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/arith.h"
#include "base/endian.h"
#include "base/error.h"
#include "base/scan.h"
#include "base/str.h"
#include "base/vec.h"
#include "tally/events.h"

enum { MAX_FIELDS = 1024 };

struct format_memory {
	struct tally_tp_format format; /* must be first; returned to the caller */
	struct tally_arena arena;
	TALLY_VEC(struct tally_tp_field) fields;
};

struct format_text {
	const char *start, *at, *end;
	struct tally_error *err;
};

static int text_fail(const struct format_text *text, const char *at, int code, const char *why)
{
	return tally_error_at(text->err, code, why, (uint64_t)(at - text->start));
}

/* Get the next line without its newline. Returns false at the end. */
static bool line_next(struct format_text *text, const char **ret_line, const char **ret_end)
{
	const char *end;

	if (text->at == text->end)
		return false;
	end = memchr(text->at, '\n', (size_t)(text->end - text->at));
	if (!end)
		end = text->end;
	*ret_line = text->at;
	*ret_end = end;
	text->at = end < text->end ? end + 1 : end;
	return true;
}

static bool text_starts(const char *at, const char *end, const char *prefix)
{
	size_t len = strlen(prefix);

	return (size_t)(end - at) >= len && !memcmp(at, prefix, len);
}

/* Parse the number that follows `key` somewhere in the line. Returns false if it is missing or too
 * large. */
static bool number_after(const char *at, const char *end, const char *key, uint32_t *ret_value)
{
	size_t len = strlen(key);
	struct tally_scan scan = {.end = end};
	uint64_t value;

	at = memmem(at, (size_t)(end - at), key, len);
	if (!at)
		return false;
	scan.at = at + len;
	if (tally_scan_number(&scan, 10, &value) || value > INT32_MAX)
		return false;
	*ret_value = (uint32_t)value;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Return the size in bytes of a C type, determined by its last word, or 0 if unknown. `long_size`
 * is the size of long. */
static uint32_t type_size(const char *type, uint32_t long_size)
{
	static const struct {
		const char *name;
		uint8_t size;
	} sizes[] = {
		{"u8", 1},        {"s8", 1},         {"u16", 2},      {"s16", 2},     {"u32", 4},
		{"s32", 4},       {"u64", 8},        {"s64", 8},      {"char", 1},    {"short", 2},
		{"long long", 8}, {"bool", 1},       {"uuid_t", 16},  {"guid_t", 16}, {"int", 4},
		{"__be16", 2},    {"__be32", 4},     {"__be64", 8},   {"__le16", 2},  {"__le32", 4},
		{"__le64", 8},    {"dma_addr_t", 8}, {"unsigned", 4},
	};
	size_t len = strlen(type);

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(sizes); i++) {
		size_t n = strlen(sizes[i].name);

		if (len >= n && !strcmp(type + len - n, sizes[i].name) &&
		    (len == n || !isalnum((unsigned char)type[len - n - 1])))
			return sizes[i].size;
	}
	if (len >= 4 && !strcmp(type + len - 4, "long"))
		return long_size;
	return type[len - (len > 0)] == '*' ? long_size : 0;
}

/* Split a declaration: "char comm[16]" has type "char[16]" and name "comm". The same applies to
 * "__data_loc char[] name". */
static int declaration_parse(struct format_memory *memory, const char *at, const char *end,
			     struct tally_tp_field *field)
{
	const char *name_end = end, *name, *bracket = NULL;
	struct tally_str type = {0};
	int ret;

	while (name_end > at && isspace((unsigned char)name_end[-1]))
		name_end--;
	end = name_end;
	if (name_end > at && name_end[-1] == ']') {
		while (name_end > at && *name_end != '[')
			name_end--;
		bracket = name_end;
	}
	for (name = name_end; name > at && is_word(name[-1]); name--) {
	}
	if (name == name_end || name == at)
		return -EINVAL;
	field->name = tally_arena_strndup(&memory->arena, name, (size_t)(name_end - name));
	while (name > at && isspace((unsigned char)name[-1]))
		name--;
	tally_str_add_bytes(&type, at, (size_t)(name - at));
	if (bracket)
		tally_str_add_bytes(&type, bracket, (size_t)(end - bracket));
	field->type = tally_arena_strndup(&memory->arena, tally_str_text(&type), type.len);
	ret = !field->name || !field->type ? -ENOMEM : tally_str_error(&type);
	tally_str_free(&type);
	return ret;
}

/* Derive a field's properties from its type. */
static int type_parse(struct format_memory *memory, struct tally_tp_field *field)
{
	const char *type = field->type, *bracket;
	char *base;
	uint32_t number = 0;

	field->is_relative = !strncmp(type, "__rel_loc ", 10);
	field->is_dynamic = field->is_relative || !strncmp(type, "__data_loc ", 11);
	bracket = strrchr(type, '[');
	field->is_array = bracket || field->is_dynamic;
	base = tally_arena_strndup(&memory->arena, type,
				   bracket ? (size_t)(bracket - type) : strlen(type));
	if (!base)
		return -ENOMEM;
	for (size_t n = strlen(base); n && isspace((unsigned char)base[n - 1]); n--)
		base[n - 1] = '\0';
	field->is_pointer = !field->is_array && strchr(type, '*');
	field->is_string = field->is_array &&
			   (strstr(base, "char") || strstr(base, "u8") || strstr(base, "s8"));
	field->elements = 1;
	field->element_size = field->size;
	if (!field->is_array)
		return 0;
	field->element_size = type_size(base, 8);
	if (bracket && isdigit((unsigned char)bracket[1]))
		number = (uint32_t)strtoul(bracket + 1, NULL, 0);
	if (!field->is_dynamic && number && field->size % number == 0)
		field->element_size = field->size / number;
	if (!field->element_size)
		field->element_size = 1;
	if (!field->is_dynamic)
		field->elements = field->size / field->element_size;
	return 0;
}

static int field_parse(struct format_memory *memory, struct format_text *text, const char *at,
		       const char *end)
{
	struct tally_tp_field field = {0};
	const char *semicolon = memchr(at, ';', (size_t)(end - at));
	uint32_t is_signed = 0;
	int ret;

	if (memory->fields.len == MAX_FIELDS)
		return text_fail(text, at, -EINVAL, "more than 1,024 fields");
	if (!semicolon || !number_after(semicolon, end, "offset:", &field.offset) ||
	    !number_after(semicolon, end, "size:", &field.size))
		return text_fail(text, at, -EINVAL, "field without offset or size");
	number_after(semicolon, end, "signed:", &is_signed);
	field.is_signed = is_signed;
	ret = declaration_parse(memory, at, semicolon, &field);
	if (ret)
		return text_fail(text, at, ret, "field without a name");
	ret = type_parse(memory, &field);
	if (!ret)
		ret = tally_vec_push(&memory->fields, field);
	return ret ? text_fail(text, at, ret, "out of memory") : 0;
}

static int line_parse(struct format_memory *memory, struct format_text *text, const char *at,
		      const char *end)
{
	struct tally_tp_format *format = &memory->format;
	const char **slot = NULL;

	while (at < end && isspace((unsigned char)*at))
		at++;
	if (text_starts(at, end, "field:") || text_starts(at, end, "field special:"))
		return field_parse(memory, text, (char *)memchr(at, ':', (size_t)(end - at)) + 1,
				   end);
	if (text_starts(at, end, "name:")) {
		at += 5;
		slot = &format->name;
	} else if (text_starts(at, end, "print fmt:")) {
		at += 10;
		end = text->end; /* the print format may span several lines */
		text->at = end;
		slot = &format->print_fmt;
	} else if (text_starts(at, end, "ID:")) {
		number_after(at, end, "ID: ", &format->id);
	}
	if (!slot)
		return 0;
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (at < end && isspace((unsigned char)end[-1]))
		end--;
	*slot = tally_arena_strndup(&memory->arena, at, (size_t)(end - at));
	return *slot ? 0 : text_fail(text, at, -ENOMEM, "out of memory");
}

/* Return the number of common fields, based on their names. An empty line separates the common
 * fields from the tracepoint's own fields, but not in older kernels. */
static size_t common_count(const struct format_memory *memory)
{
	size_t nr = 0;

	while (nr < memory->fields.len && !strncmp(memory->fields.data[nr].name, "common_", 7))
		nr++;
	return nr;
}

int tally_tp_format_parse(const void *bytes, size_t len, struct tally_tp_format **ret_format,
			  struct tally_error *err)
{
	struct format_memory *memory = calloc(1, sizeof(*memory));
	struct format_text text = {bytes, bytes, (const char *)bytes + len, err};
	const char *line, *end;
	int ret = 0;

	if (!memory)
		return tally_error_at(err, -ENOMEM, "out of memory", 0);
	while (!ret && line_next(&text, &line, &end))
		ret = line_parse(memory, &text, line, end);
	if (!ret && (!memory->format.name || !*memory->format.name))
		ret = text_fail(&text, text.start, -EINVAL, "format without a name");
	memory->format.memory = memory;
	if (ret) {
		tally_tp_format_free(&memory->format);
		return ret;
	}
	memory->format.fields = memory->fields.data;
	memory->format.nr_fields = memory->fields.len;
	memory->format.nr_common = common_count(memory);
	if (!memory->format.print_fmt)
		memory->format.print_fmt = "";
	*ret_format = &memory->format;
	return 0;
}

void tally_tp_format_free(struct tally_tp_format *format)
{
	struct format_memory *memory;

	if (!format)
		return;
	memory = format->memory;
	tally_vec_free(&memory->fields);
	tally_arena_free(&memory->arena);
	free(memory);
}

const struct tally_tp_field *tally_tp_format_find(const struct tally_tp_format *format,
						  const char *name)
{
	for (size_t i = 0; i < format->nr_fields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}

/* ---- access to fields ----------------------------------------------------------- */

int tally_tp_field_u64(const struct tally_tp_field *field, const struct tally_tp_raw *raw,
		       uint64_t *ret_value)
{
	const uint8_t *at = raw->data + field->offset;
	uint64_t value;
	unsigned shift = 64 - 8 * (field->size & 15);

	if (!tally_range_ok(field->offset, field->size, raw->len))
		return -ERANGE;
	switch (field->size) {
	case 1: value = *at; break;
	case 2: value = tally_load_u16(at, raw->swap); break;
	case 4: value = tally_load_u32(at, raw->swap); break;
	case 8: value = tally_load_u64(at, raw->swap); break;
	default: return -EINVAL;
	}
	if (field->is_signed && shift)
		value = (uint64_t)((int64_t)(value << shift) >> shift);
	*ret_value = value;
	return 0;
}

int tally_tp_field_bytes(const struct tally_tp_field *field, const struct tally_tp_raw *raw,
			 const uint8_t **ret_bytes, size_t *ret_len)
{
	uint64_t offset = field->offset, len = field->size;
	uint32_t loc;

	if (!tally_range_ok(offset, len, raw->len))
		return -ERANGE;
	if (field->is_dynamic) {
		if (len != 4)
			return -ERANGE;
		loc = tally_load_u32(raw->data + offset, raw->swap);
		offset = (loc & 0xffff) + (field->is_relative ? offset + len : 0);
		len = loc >> 16;
		if (!tally_range_ok(offset, len, raw->len))
			return -ERANGE;
	}
	*ret_bytes = raw->data + offset;
	*ret_len = (size_t)len;
	return 0;
}
