/* SPDX-License-Identifier: BSD-2-Clause */
#include "parquet/parquet_encode.h"

#include "base/arith.h"
#include "base/varint.h"
#include "parquet/zigzag.h"

unsigned parquet_bits(uint64_t largest)
{
	return largest ? 64 - (unsigned)__builtin_clzll(largest) : 0;
}

void parquet_add_bytes(struct tally_str *out, uint64_t value, size_t bytes)
{
	uint64_t little = TALLY_HOST_BIG_ENDIAN ? __builtin_bswap64(value) : value;

	tally_str_add_bytes(out, &little, bytes);
}

/* Numbers of any width that are packed without gaps, the first in the lowest bits. */
struct bit_packer {
	struct tally_str *out;
	unsigned __int128 waiting;
	unsigned nr_waiting; /* bits, less than 64 */
};

static void pack(struct bit_packer *packer, uint64_t value, unsigned bits)
{
	packer->waiting |= (unsigned __int128)value << packer->nr_waiting;
	packer->nr_waiting += bits;
	if (packer->nr_waiting < 64)
		return;
	parquet_add_bytes(packer->out, (uint64_t)packer->waiting, 8);
	packer->waiting >>= 64;
	packer->nr_waiting -= 64;
}

/* Write the waiting bits, padded with zeros to a whole byte. */
static void pack_end(struct bit_packer *packer)
{
	parquet_add_bytes(packer->out, (uint64_t)packer->waiting, (packer->nr_waiting + 7) / 8);
}

/* ---- runs ------------------------------------------------------------------------ */

enum { GROUP = 8 }; /* numbers in a group; shorter runs are not worth while */

/* Return the length of the run at the start of `values`. */
static size_t run_length(const uint32_t *values, size_t nr)
{
	size_t len = 1;

	while (len < nr && values[len] == values[0])
		len++;
	return len;
}

/* Append numbers in groups. The last group is padded with zeros. */
static void add_groups(struct tally_str *out, const uint32_t *values, size_t nr, unsigned bits)
{
	size_t groups = (nr + GROUP - 1) / GROUP;
	struct bit_packer packer = {.out = out};

	if (!groups)
		return;
	tally_str_add_varint(out, groups << 1 | 1);
	for (size_t i = 0; i < groups * GROUP; i++)
		pack(&packer, i < nr ? values[i] : 0, bits);
	pack_end(&packer);
}

void parquet_add_runs(struct tally_str *out, const uint32_t *values, size_t nr, unsigned bits)
{
	size_t first = 0, at = 0, len, fill;

	/* The numbers from `first` to `at` are waiting to be written in groups. Only the last group
	 * may be incomplete, so a run gives up numbers to complete the group before it. */
	while (at < nr) {
		len = run_length(values + at, nr - at);
		fill = (GROUP - (at - first) % GROUP) % GROUP;
		if (len < GROUP + fill) {
			at += len;
			continue;
		}
		add_groups(out, values + first, at + fill - first, bits);
		tally_str_add_varint(out, (uint64_t)(len - fill) << 1);
		parquet_add_bytes(out, values[at], (bits + 7) / 8);
		at += len;
		first = at;
	}
	add_groups(out, values + first, nr - first, bits);
}

/* ---- deltas ---------------------------------------------------------------------- */

enum { MINIBLOCK = 32, MINIBLOCKS = 4, BLOCK = MINIBLOCK * MINIBLOCKS };

static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* Append a block of `nr` deltas. Each has its distance from the smallest delta. */
static void add_block(struct tally_str *out, uint64_t deltas[BLOCK], size_t nr, unsigned bits)
{
	struct bit_packer packer = {.out = out};
	int64_t least = INT64_MAX;
	unsigned widths[MINIBLOCKS] = {0};
	uint64_t mask = UINT64_MAX >> (64 - bits);

	for (size_t i = 0; i < nr; i++)
		least = TALLY_MIN(least, sign_extend(deltas[i], bits));
	for (size_t i = 0; i < nr; i++) {
		unsigned *width = &widths[i / MINIBLOCK];

		deltas[i] = (deltas[i] - (uint64_t)least) & mask;
		*width = TALLY_MAX(*width, parquet_bits(deltas[i]));
	}
	tally_str_add_varint(out, parquet_zigzag(least));
	for (size_t i = 0; i < MINIBLOCKS; i++)
		tally_str_add_char(out, (char)widths[i]);
	for (size_t i = 0; i < tally_round_up(nr, MINIBLOCK); i++)
		pack(&packer, i < nr ? deltas[i] : 0, widths[i / MINIBLOCK]);
	pack_end(&packer);
}

void parquet_add_deltas(struct tally_str *out, const uint64_t *values, size_t nr, unsigned bits)
{
	uint64_t deltas[BLOCK];

	tally_str_add_varint(out, BLOCK);
	tally_str_add_varint(out, MINIBLOCKS);
	tally_str_add_varint(out, nr);
	tally_str_add_varint(out, parquet_zigzag(nr ? sign_extend(values[0], bits) : 0));
	for (size_t first = 1; first < nr; first += BLOCK) {
		size_t len = TALLY_MIN(nr - first, (size_t)BLOCK);

		for (size_t i = 0; i < len; i++)
			deltas[i] = values[first + i] - values[first + i - 1];
		add_block(out, deltas, len, bits);
	}
}
