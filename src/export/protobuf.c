/* SPDX-License-Identifier: BSD-2-Clause */
#include "export/protobuf.h"

#include <string.h>

#include "base/varint.h"

/* Wire types, stored in a tag's lowest bits. */
enum { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_BITS = 3 };

void tally_protobuf_u64(struct tally_str *out, unsigned field, uint64_t value)
{
	tally_str_add_varint(out, (uint64_t)field << WIRE_BITS | WIRE_VARINT);
	tally_str_add_varint(out, value);
}

void tally_protobuf_bytes(struct tally_str *out, unsigned field, const void *bytes, size_t len)
{
	tally_str_add_varint(out, (uint64_t)field << WIRE_BITS | WIRE_BYTES);
	tally_str_add_varint(out, len);
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
