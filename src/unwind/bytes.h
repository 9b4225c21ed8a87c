/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader for untrusted bytes. If the end is reached or a number does not fit, the reader fails
 * permanently and returns 0 from then on. It is therefore sufficient to check `failed` once after
 * reading. */
#ifndef TALLY_UNWIND_BYTES_H
#define TALLY_UNWIND_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/endian.h"

struct tally_bytes_reader {
	const uint8_t *at, *end;
	bool swap, failed;
};

static inline size_t tally_bytes_left(const struct tally_bytes_reader *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

/* Skip `len` bytes and return their address, or NULL if fewer bytes are left. */
static inline const uint8_t *tally_bytes_skip(struct tally_bytes_reader *bytes, uint64_t len)
{
	const uint8_t *at = bytes->at;

	if (len > tally_bytes_left(bytes)) {
		bytes->failed = true;
		bytes->at = bytes->end;
		return NULL;
	}
	bytes->at += len;
	return at;
}

static inline uint8_t tally_bytes_u8(struct tally_bytes_reader *bytes)
{
	const uint8_t *at = tally_bytes_skip(bytes, 1);

	return at ? *at : 0;
}

static inline uint16_t tally_bytes_u16(struct tally_bytes_reader *bytes)
{
	const uint8_t *at = tally_bytes_skip(bytes, 2);

	return at ? tally_load_u16(at, bytes->swap) : 0;
}

static inline uint32_t tally_bytes_u32(struct tally_bytes_reader *bytes)
{
	const uint8_t *at = tally_bytes_skip(bytes, 4);

	return at ? tally_load_u32(at, bytes->swap) : 0;
}

static inline uint64_t tally_bytes_u64(struct tally_bytes_reader *bytes)
{
	const uint8_t *at = tally_bytes_skip(bytes, 8);

	return at ? tally_load_u64(at, bytes->swap) : 0;
}

/* Read an unsigned or signed LEB128 number. Bits beyond the 64th are dropped. */
uint64_t tally_bytes_uleb(struct tally_bytes_reader *bytes);
int64_t tally_bytes_sleb(struct tally_bytes_reader *bytes);

#endif
