/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/parquet_thrift.h"

#include <assert.h>

#include "base/varint.h"
#include "parquet/zigzag.h"

/* Types of fields, in addition to those of list elements. */
enum { TRUE_FIELD = 1, FALSE_FIELD = 2, BYTE_FIELD = 3, I64_FIELD = 6, LIST_FIELD = 9 };

enum { LONG_FORM = 15 }; /* from here on, a number does not fit in four bits */

/* Write a field's type and ID. */
static void field_add(struct thrift *thrift, int field, int type)
{
	int *last = &thrift->last[thrift->depth];
	int delta = field - *last;

	if (delta > 0 && delta <= LONG_FORM) {
		tally_str_add_char(thrift->out, (char)(delta << 4 | type));
	} else {
		tally_str_add_char(thrift->out, (char)type);
		tally_str_add_varint(thrift->out, parquet_zigzag(field));
	}
	*last = field;
}

void thrift_bool(struct thrift *thrift, int field, bool value)
{
	field_add(thrift, field, value ? TRUE_FIELD : FALSE_FIELD);
}

void thrift_byte(struct thrift *thrift, int field, int8_t value)
{
	field_add(thrift, field, BYTE_FIELD);
	tally_str_add_char(thrift->out, (char)value);
}

void thrift_i32(struct thrift *thrift, int field, int32_t value)
{
	field_add(thrift, field, THRIFT_I32);
	thrift_element_i32(thrift, value);
}

void thrift_i64(struct thrift *thrift, int field, int64_t value)
{
	field_add(thrift, field, I64_FIELD);
	tally_str_add_varint(thrift->out, parquet_zigzag(value));
}

void thrift_binary(struct thrift *thrift, int field, const void *bytes, size_t len)
{
	field_add(thrift, field, THRIFT_BINARY);
	tally_str_add_varint(thrift->out, len);
	tally_str_add_bytes(thrift->out, bytes, len);
}

void thrift_text(struct thrift *thrift, int field, const char *text)
{
	thrift_binary(thrift, field, text, strlen(text));
}

void thrift_begin(struct thrift *thrift, int field)
{
	field_add(thrift, field, THRIFT_STRUCT);
	thrift_begin_element(thrift);
}

void thrift_begin_element(struct thrift *thrift)
{
	assert(thrift->depth + 1 < THRIFT_DEPTH);
	thrift->last[++thrift->depth] = 0;
}

void thrift_end(struct thrift *thrift)
{
	tally_str_add_char(thrift->out, '\0');
	thrift->depth--;
}

void thrift_list(struct thrift *thrift, int field, int type, size_t nr)
{
	field_add(thrift, field, LIST_FIELD);
	if (nr < LONG_FORM) {
		tally_str_add_char(thrift->out, (char)(nr << 4 | (unsigned)type));
		return;
	}
	tally_str_add_char(thrift->out, (char)(LONG_FORM << 4 | type));
	tally_str_add_varint(thrift->out, nr);
}

void thrift_element_i32(struct thrift *thrift, int32_t value)
{
	tally_str_add_varint(thrift->out, parquet_zigzag(value));
}

void thrift_element_text(struct thrift *thrift, const char *text)
{
	size_t len = strlen(text);

	tally_str_add_varint(thrift->out, len);
	tally_str_add_bytes(thrift->out, text, len);
}
