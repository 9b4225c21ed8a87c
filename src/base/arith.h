/* SPDX-License-Identifier: BSD-2-Clause */
/* Checked and 128-bit integer arithmetic. Freestanding, no floating point. */
#ifndef TALLY_BASE_ARITH_H
#define TALLY_BASE_ARITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if `offset + size` neither wraps nor passes `limit`: the test every hostile
 * (offset, size) pair of a file has to pass before it is followed. */
static inline bool tally_range_ok(uint64_t offset, uint64_t size, uint64_t limit)
{
	uint64_t end;

	return !__builtin_add_overflow(offset, size, &end) && end <= limit;
}

/* value * mul / div in 128 bits, rounded down; UINT64_MAX where it does not fit;
 * 0 where div is 0. */
static inline uint64_t tally_mul_div(uint64_t value, uint64_t mul, uint64_t div)
{
	unsigned __int128 wide = (unsigned __int128)value * mul;

	if (!div)
		return 0;
	wide /= div;
	return wide > UINT64_MAX ? UINT64_MAX : (uint64_t)wide;
}

/* Round `v` up to a multiple of `to`, a power of two. The caller knows it cannot wrap. */
static inline uint64_t tally_round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) & ~(to - 1);
}

static inline bool tally_is_pow2(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* Bits that are set. Written out: the builtin calls a library where there is no instruction. */
static inline unsigned tally_popcount(uint64_t v)
{
	v -= (v >> 1) & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + ((v >> 2) & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* The n of a power of two 2^n. */
static inline uint8_t tally_log2(uint64_t pow2)
{
	return (uint8_t)tally_popcount(pow2 - 1);
}

/* Bit `i` of an array of words: bit i % 64 of word i / 64. */
static inline bool tally_bit_is_set(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static inline void tally_bit_set(uint64_t *bits, uint64_t i)
{
	bits[i / 64] |= UINT64_C(1) << (i % 64);
}

#define TALLY_MIN(a, b)     ((a) < (b) ? (a) : (b))
#define TALLY_MAX(a, b)     ((a) > (b) ? (a) : (b))
#define TALLY_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
