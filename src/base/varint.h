/* SPDX-License-Identifier: BSD-2-Clause */
/* Variable-length numbers: seven bits per byte, lowest first (unsigned LEB128). */
#ifndef TALLY_BASE_VARINT_H
#define TALLY_BASE_VARINT_H

#include "base/str.h"

enum { TALLY_VARINT_MAX = 10 };

/* Encode `value`. Return the number of bytes. */
static inline size_t tally_varint_put(uint64_t value, char bytes[TALLY_VARINT_MAX])
{
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (char)(value | 0x80);
	bytes[len++] = (char)value;
	return len;
}

/* Return the number of bytes that encode `value`. */
static inline size_t tally_varint_size(uint64_t value)
{
	size_t len = 1;

	for (; value >= 0x80; value >>= 7)
		len++;
	return len;
}

static inline void tally_str_add_varint(struct tally_str *str, uint64_t value)
{
	char bytes[TALLY_VARINT_MAX];

	tally_str_add_bytes(str, bytes, tally_varint_put(value, bytes));
}

#endif
