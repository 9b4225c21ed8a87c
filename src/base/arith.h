/* SPDX-License-Identifier: BSD-2-Clause */
/* Overflow-checked and 128-bit integer arithmetic. Freestanding, without floating point. */
#ifndef TALLY_BASE_ARITH_H
#define TALLY_BASE_ARITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return true if `offset + size` neither overflows nor exceeds `limit`. Every (offset, size) pair
 * from a file must pass this check before it is used. */
static inline bool tally_range_ok(uint64_t offset, uint64_t size, uint64_t limit)
{
	uint64_t end;

	return !__builtin_add_overflow(offset, size, &end) && end <= limit;
}

/* Add to a sum. The sum stays at UINT64_MAX if it would overflow. */
static inline void tally_sum_add(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

/* Return a / b; b must not be 0. The function does not need the compiler's run-time library, even
 * on 32-bit machines, which cannot divide 64-bit numbers with one instruction. On those machines,
 * its running time depends on the number of quotient bits, unless both numbers fit in 32 bits. */
static inline uint64_t tally_div(uint64_t a, uint64_t b)
{
#if UINTPTR_MAX > UINT32_MAX && !defined(TALLY_ARITH_32)
	return a / b;
#else
	uint64_t quotient = 0, bit = 1;

#if defined(__i386__) || defined(__ARM_FEATURE_IDIV) || defined(__riscv_div)
	if (!((a | b) >> 32))
		return (uint32_t)a / (uint32_t)b;
#endif
	for (; b < a && !(b >> 63); b <<= 1)
		bit <<= 1;
	for (; bit; bit >>= 1, b >>= 1) {
		if (a < b)
			continue;
		a -= b;
		quotient |= bit;
	}
	return quotient;
#endif
}

/* A 128-bit number. */
struct tally_wide {
	uint64_t high, low;
};

static inline struct tally_wide tally_mul_wide(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__) && !defined(TALLY_ARITH_32)
	unsigned __int128 product = (unsigned __int128)a * b;

	return (struct tally_wide){(uint64_t)(product >> 64), (uint64_t)product};
#else
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
	uint64_t one = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
	uint64_t other = (a & UINT32_MAX) * (b >> 32) + (one & UINT32_MAX);

	return (struct tally_wide){(a >> 32) * (b >> 32) + (one >> 32) + (other >> 32),
				   other << 32 | (low & UINT32_MAX)};
#endif
}

static inline struct tally_wide tally_wide_half(struct tally_wide v)
{
	return (struct tally_wide){v.high >> 1, v.low >> 1 | v.high << 63};
}

/* Return wide / div, computed bit by bit; div must be greater than wide.high. */
static inline uint64_t tally_wide_div(struct tally_wide wide, uint64_t div)
{
	uint64_t quotient = 0;

	for (int i = 0; i < 64; i++) {
		bool carry = wide.high >> 63;

		wide.high = wide.high << 1 | wide.low >> 63;
		wide.low <<= 1;
		quotient <<= 1;
		if (!carry && wide.high < div)
			continue;
		wide.high -= div;
		quotient |= 1;
	}
	return quotient;
}

/* Return value * mul / div, computed in 128 bits and rounded down; UINT64_MAX if the result does
 * not fit; 0 if div is 0. */
static inline uint64_t tally_mul_div(uint64_t value, uint64_t mul, uint64_t div)
{
	struct tally_wide wide = tally_mul_wide(value, mul);

	if (!div)
		return 0;
	if (wide.high >= div)
		return UINT64_MAX;
#if defined(__SIZEOF_INT128__) && !defined(TALLY_ARITH_32)
	return (uint64_t)(((unsigned __int128)wide.high << 64 | wide.low) / div);
#else
	return tally_wide_div(wide, div);
#endif
}

/* Round `v` up to a multiple of `to`, a power of two. The result must not overflow. */
static inline uint64_t tally_round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) & ~(to - 1);
}

static inline bool tally_is_pow2(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* Return the number of set bits. The builtin is not used, because it calls a library function on
 * machines without a popcount instruction. */
static inline unsigned tally_popcount(uint64_t v)
{
	v -= (v >> 1) & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + ((v >> 2) & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* Return n, where `pow2` is 2^n. */
static inline uint8_t tally_log2(uint64_t pow2)
{
	return (uint8_t)tally_popcount(pow2 - 1);
}

/* Return bit `i` of an array of words: bit i % 64 of word i / 64. */
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
