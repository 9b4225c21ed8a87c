/* SPDX-License-Identifier: BSD-2-Clause */
/* Hash functions for tables in memory: fast and seeded, but neither cryptographic nor stable enough
 * for files. */
#ifndef TALLY_BASE_HASH_H
#define TALLY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/endian.h"

/* Multiply to 128 bits and combine both halves, so that every input bit affects every output
 * bit. */
static inline uint64_t tally_hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t tally_hash_u64(uint64_t v, uint64_t seed)
{
	return tally_hash_mix(v ^ 0x9e3779b97f4a7c15ull, seed ^ 0xd1b54a32d192ed03ull);
}

/* Return the hash of `len` bytes at `p`, computed 16 bytes at a time. */
static inline uint64_t tally_hash_bytes(const void *p, size_t len, uint64_t seed)
{
	const uint8_t *at = p;
	uint64_t h = seed ^ (len * 0xa0761d6478bd642full);
	uint64_t tail[2] = {0, 0};

	for (; len > 16; len -= 16, at += 16)
		h = tally_hash_mix(tally_get_u64(at) ^ 0xe7037ed1a0b428dbull,
				   tally_get_u64(at + 8) ^ h);
	__builtin_memcpy(tail, at, len);
	h = tally_hash_mix(tail[0] ^ 0x8ebc6af09c88c6e3ull, tail[1] ^ h);
	return tally_hash_mix(h ^ 0x589965cc75374cc3ull, h ^ 0x1d8e4e27c47d124full);
}

#endif
