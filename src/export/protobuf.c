/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/protobuf.h"

#include <string.h>

/* How a field is encoded, in the lowest bits of its tag. */
enum { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_BITS = 3 };
enum { VARINT_MAX = 10 };

static size_t varint_put(uint64_t value, char bytes[VARINT_MAX])
{
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (char)(value | 0x80);
	bytes[len++] = (char)value;
	return len;
}

void tally_protobuf_varint(struct tally_str *out, uint64_t value)
{
	char bytes[VARINT_MAX];

	tally_str_add_bytes(out, bytes, varint_put(value, bytes));
}

void tally_protobuf_u64(struct tally_str *out, unsigned field, uint64_t value)
{
	tally_protobuf_varint(out, (uint64_t)field << WIRE_BITS | WIRE_VARINT);
	tally_protobuf_varint(out, value);
}

void tally_protobuf_bytes(struct tally_str *out, unsigned field, const void *bytes, size_t len)
{
	tally_protobuf_varint(out, (uint64_t)field << WIRE_BITS | WIRE_BYTES);
	tally_protobuf_varint(out, len);
	tally_str_add_bytes(out, bytes, len);
}

size_t tally_protobuf_open(struct tally_str *out, unsigned field)
{
	tally_protobuf_varint(out, (uint64_t)field << WIRE_BITS | WIRE_BYTES);
	return out->len;
}

/* The length stands before the content, which is moved behind it. */
void tally_protobuf_close(struct tally_str *out, size_t opened)
{
	char bytes[VARINT_MAX];
	size_t content = out->len - opened, len = varint_put(content, bytes);

	tally_str_add_bytes(out, bytes, len);
	if (tally_str_error(out))
		return;
	memmove(out->data + opened + len, out->data + opened, content);
	memcpy(out->data + opened, bytes, len);
}
