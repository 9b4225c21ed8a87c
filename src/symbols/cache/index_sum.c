/* SPDX-License-Identifier: BSD-2-Clause */
/* Non-cryptographic checksums for an index, computed as fast as memory can be read. */
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "symbols/cache/index_format.h"

enum { LANES = 8, BLOCK = LANES * 8 };

void tally_index_sum_begin(struct tally_index_sum *sum)
{
	*sum = (struct tally_index_sum){{1, 2, 3, 4, 5, 6, 7, 8}};
}

/* Rotate each lane and multiply it by an odd number. Both operations are reversible, so a change
 * in one word always changes its lane. The eight multiplications are independent and overlap in
 * time. */
static void sum_blocks(struct tally_index_sum *sum, const uint8_t *at, size_t nr)
{
	uint64_t lanes[LANES], word;

	memcpy(lanes, sum->lanes, sizeof(lanes));
	for (; nr; nr--, at += BLOCK) {
		for (size_t i = 0; i < LANES; i++) {
			word = lanes[i] ^ tally_get_u64(at + i * 8);
			lanes[i] = (word << 29 | word >> 35) * 0x9e3779b97f4a7c15;
		}
	}
	memcpy(sum->lanes, lanes, sizeof(lanes));
}

void tally_index_sum_add(struct tally_index_sum *sum, const void *data, size_t len)
{
	size_t had = sum->len % BLOCK, more = TALLY_MIN(BLOCK - had, len);
	const uint8_t *at = data;

	if (!len)
		return;
	sum->len += len;
	if (had || len < BLOCK) {
		memcpy(sum->rest + had, at, more);
		if (had + more < BLOCK)
			return;
		sum_blocks(sum, sum->rest, 1);
		at += more;
		len -= more;
	}
	sum_blocks(sum, at, len / BLOCK);
	memcpy(sum->rest, at + len / BLOCK * BLOCK, len % BLOCK);
}

uint64_t tally_index_sum_end(const struct tally_index_sum *sum)
{
	uint64_t seed = tally_hash_bytes(sum->lanes, sizeof(sum->lanes), sum->len);

	return tally_hash_bytes(sum->rest, sum->len % BLOCK, seed);
}

uint64_t tally_index_sum(const void *data, size_t len)
{
	struct tally_index_sum sum;

	tally_index_sum_begin(&sum);
	tally_index_sum_add(&sum, data, len);
	return tally_index_sum_end(&sum);
}

uint64_t tally_index_header_sum(const struct tally_index_header *header)
{
	struct tally_index_header copy = *header;

	copy.sum = 0;
	return tally_index_sum(&copy, sizeof(copy));
}
