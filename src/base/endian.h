/* SPDX-License-Identifier: BSD-2-Clause */
/* Unaligned access to integers in host byte order, and byte swapping. Freestanding. */
#ifndef TALLY_BASE_ENDIAN_H
#define TALLY_BASE_ENDIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TALLY_HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* A memcpy of constant size compiles to one or two instructions, even without a libc. */
#define TALLY_DEFINE_ACCESS(bits)                                                  \
	static inline uint##bits##_t tally_get_u##bits(const void *p)              \
	{                                                                          \
		uint##bits##_t v;                                                  \
		__builtin_memcpy(&v, p, sizeof(v));                                \
		return v;                                                          \
	}                                                                          \
	static inline void tally_put_u##bits(void *p, uint##bits##_t v)            \
	{                                                                          \
		__builtin_memcpy(p, &v, sizeof(v));                                \
	}                                                                          \
	static inline uint##bits##_t tally_load_u##bits(const void *p, bool swap)  \
	{                                                                          \
		uint##bits##_t v = tally_get_u##bits(p);                           \
		return swap ? __builtin_bswap##bits(v) : v;                        \
	}                                                                          \
	static inline void tally_swap_u##bits(void *p)                             \
	{                                                                          \
		tally_put_u##bits(p, __builtin_bswap##bits(tally_get_u##bits(p))); \
	}

TALLY_DEFINE_ACCESS(16)
TALLY_DEFINE_ACCESS(32)
TALLY_DEFINE_ACCESS(64)
#undef TALLY_DEFINE_ACCESS

/* Swap `nr` consecutive 64-bit words in place. */
static inline void tally_swap_u64s(void *p, size_t nr)
{
	for (uint8_t *at = p; nr--; at += 8)
		tally_swap_u64(at);
}

/* Reverse the bits in a byte. This is needed because the order of C bit fields depends on the byte
 * order. */
static inline uint8_t tally_mirror_u8(uint8_t b)
{
	b = (uint8_t)((b & 0xf0) >> 4 | (b & 0x0f) << 4);
	b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
	return (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
}

#endif
