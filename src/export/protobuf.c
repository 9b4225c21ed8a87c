/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/protobuf.h"

#include <string.h>

#include "base/varint.h"

/* Wire types, stored in a tag's lowest bits. */
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_BITS = 3 };

void tally_protobuf_u64(struct tally_str *out, unsigned field, uint64_t value)
{
	tally_str_add_varint(out, (uint64_t)field << WIRE_BITS | WIRE_VARINT);
	tally_str_add_varint(out, value);
}

void tally_protobuf_fixed64(struct tally_str *out, unsigned field, uint64_t value)
{
	tally_str_add_varint(out, (uint64_t)field << WIRE_BITS | WIRE_FIXED64);
	tally_protobuf_add_fixed64(out, value);
}

void tally_protobuf_add_fixed64(struct tally_str *out, uint64_t value)
{
	char bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(value >> 8 * i);
	tally_str_add_bytes(out, bytes, sizeof(bytes));
}

void tally_protobuf_head(struct tally_str *out, unsigned field, uint64_t len)
{
	tally_str_add_varint(out, (uint64_t)field << WIRE_BITS | WIRE_BYTES);
	tally_str_add_varint(out, len);
}

uint64_t tally_protobuf_size(unsigned field, uint64_t len)
{
	return tally_varint_size((uint64_t)field << WIRE_BITS) + tally_varint_size(len) + len;
}

void tally_protobuf_bytes(struct tally_str *out, unsigned field, const void *bytes, size_t len)
{
	tally_protobuf_head(out, field, len);
	tally_str_add_bytes(out, bytes, len);
}

size_t tally_protobuf_open(struct tally_str *out, unsigned field)
{
	tally_str_add_varint(out, (uint64_t)field << WIRE_BITS | WIRE_BYTES);
	return out->len;
}

/* Insert the length before the contents, which are moved to make space for it. */
void tally_protobuf_close(struct tally_str *out, size_t opened)
{
	char bytes[TALLY_VARINT_MAX];
	size_t content = out->len - opened, len = tally_varint_put(content, bytes);

	tally_str_add_bytes(out, bytes, len);
	if (tally_str_error(out))
		return;
	memmove(out->data + opened + len, out->data + opened, content);
	memcpy(out->data + opened, bytes, len);
}
