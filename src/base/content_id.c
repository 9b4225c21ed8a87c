/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/content_id.h"

static uint64_t rotate(uint64_t v, unsigned bits)
{
	return v << bits | v >> (64 - bits);
}

static void round_do(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static void word_add(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	round_do(v);
	round_do(v);
	v[0] ^= word;
}

/* Return the number that stores the bytes of `v` lowest first. */
static uint64_t little(uint64_t v)
{
	return TALLY_HOST_BIG_ENDIAN ? __builtin_bswap64(v) : v;
}

uint64_t tally_content_id(const void *bytes, size_t len)
{
	/* The initial state for a key of zero. */
	uint64_t v[4] = {0x736f6d6570736575, 0x646f72616e646f6d, 0x6c7967656e657261,
			 0x7465646279746573};
	const uint8_t *at = bytes;
	uint64_t last = 0;
	size_t left = len;

	for (; left >= 8; left -= 8, at += 8)
		word_add(v, little(tally_get_u64(at)));
	for (size_t i = 0; i < left; i++)
		last |= (uint64_t)at[i] << 8 * i;
	word_add(v, last | (uint64_t)len << 56);
	v[2] ^= 0xff;
	for (size_t i = 0; i < 4; i++)
		round_do(v);
	return (v[0] ^ v[1] ^ v[2] ^ v[3]) & INT64_MAX;
}

void tally_content_add(struct tally_str *bytes, uint64_t value)
{
	value = little(value);
	tally_str_add_bytes(bytes, &value, sizeof(value));
}

void tally_content_add_text(struct tally_str *bytes, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	tally_content_add(bytes, text ? len : UINT64_MAX);
	tally_str_add_bytes(bytes, text ? text : "", len);
}
