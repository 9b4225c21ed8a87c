/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/thrift_read.h"

enum {
	BYTE = 3,
	I16 = 4,
	I32 = 5,
	I64 = 6,
	DOUBLE = 7,
	BINARY = 8,
	LIST = 9,
	SET = 10,
	MAP = 11,
	STRUCT = 12,
};

enum { LONG_FORM = 15, DEPTH_MAX = 16 };

uint8_t thrift_in_byte(struct thrift_in *in)
{
	if (in->failed || in->at == in->end) {
		in->failed = true;
		return 0;
	}
	return *in->at++;
}

uint64_t thrift_in_varint(struct thrift_in *in)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		byte = thrift_in_byte(in);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return in->failed ? 0 : value;
	}
	in->failed = true;
	return 0;
}

int64_t thrift_in_number(struct thrift_in *in)
{
	uint64_t value = thrift_in_varint(in);

	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

const char *thrift_in_text(struct thrift_in *in, size_t *ret_len)
{
	uint64_t len = thrift_in_varint(in);
	const char *text = (const char *)in->at;

	if (len > (size_t)(in->end - in->at)) {
		in->failed = true;
		len = 0;
	}
	in->at += len;
	*ret_len = (size_t)len;
	return text;
}

size_t thrift_in_list(struct thrift_in *in, int *ret_type)
{
	uint8_t head = thrift_in_byte(in);
	uint64_t nr = head >> 4 == LONG_FORM ? thrift_in_varint(in) : head >> 4;

	*ret_type = head & 15;
	if (nr > (size_t)(in->end - in->at)) {
		in->failed = true;
		nr = 0;
	}
	return (size_t)nr;
}

bool thrift_in_next(struct thrift_in *in, struct thrift_field *field)
{
	uint8_t head = thrift_in_byte(in);

	if (in->failed || !(head & 15))
		return false;
	field->type = head & 15;
	if (head >> 4)
		field->id += head >> 4;
	else
		field->id = thrift_in_number(in);
	if (field->id < INT16_MIN || field->id > INT16_MAX)
		in->failed = true;
	return !in->failed;
}

static void skip(struct thrift_in *in, int type, unsigned depth, bool in_list);

static void skip_bytes(struct thrift_in *in, uint64_t nr)
{
	if (nr > (size_t)(in->end - in->at))
		in->failed = true;
	else
		in->at += nr;
}

static void skip_list(struct thrift_in *in, unsigned depth)
{
	int type;
	size_t nr = thrift_in_list(in, &type);

	while (nr-- && !in->failed)
		skip(in, type, depth + 1, true);
}

static void skip_map(struct thrift_in *in, unsigned depth)
{
	uint64_t nr = thrift_in_varint(in);
	uint8_t types = nr ? thrift_in_byte(in) : 0;

	while (nr-- && !in->failed) {
		skip(in, types >> 4, depth + 1, true);
		skip(in, types & 15, depth + 1, true);
	}
}

static void skip_struct(struct thrift_in *in, unsigned depth)
{
	struct thrift_field field = {0};

	while (thrift_in_next(in, &field))
		skip(in, field.type, depth + 1, false);
}

static void skip(struct thrift_in *in, int type, unsigned depth, bool in_list)
{
	size_t len;

	if (depth > DEPTH_MAX) {
		in->failed = true;
		return;
	}
	switch (type) {
	case THRIFT_TRUE:
	case THRIFT_FALSE: skip_bytes(in, in_list); break;
	case BYTE: skip_bytes(in, 1); break;
	case I16:
	case I32:
	case I64: (void)thrift_in_varint(in); break;
	case DOUBLE: skip_bytes(in, 8); break;
	case BINARY: (void)thrift_in_text(in, &len); break;
	case LIST:
	case SET: skip_list(in, depth); break;
	case MAP: skip_map(in, depth); break;
	case STRUCT: skip_struct(in, depth); break;
	default: in->failed = true;
	}
}

void thrift_in_skip(struct thrift_in *in, const struct thrift_field *field)
{
	skip(in, field->type, 0, false);
}
