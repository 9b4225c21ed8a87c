/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* Key of a block; there is no padding. */
struct block_key {
	uintptr_t dso;
	uint64_t start, end, event;
};

static int block_get(struct tally_blocks *blocks, const struct tally_block *block,
		     struct tally_block **ret_block)
{
	const struct block_key key = {(uintptr_t)block->dso, block->start, block->end,
				      block->event};
	uint32_t number;
	int ret = tally_intern(&blocks->keys, (const char *)&key, sizeof(key), &number);

	if (!ret && number == blocks->all.len)
		ret = tally_vec_push(&blocks->all, *block);
	if (!ret)
		*ret_block = &blocks->all.data[number];
	return ret;
}

/* Add the code from the target of the older branch to the source of the newer one. */
static int add_block(struct tally_blocks *blocks, struct tally_machine *machine,
		     const struct tally_feed_sample *sample, const struct perf_branch_entry *older,
		     const struct perf_branch_entry *newer)
{
	const struct tally_location start =
		*tally_branch_locate(machine, sample->thread, PERF_RECORD_MISC_USER, older->to);
	const struct tally_location end =
		*tally_branch_locate(machine, sample->thread, start.cpumode, newer->from);
	struct tally_block *block;
	int ret;

	if (start.dso != end.dso || start.symbol != end.symbol || start.addr > end.addr)
		return 0;
	ret = block_get(blocks,
			&(struct tally_block){.dso = start.dso,
					      .symbol = start.symbol,
					      .start = start.addr,
					      .end = end.addr,
					      .event = sample->event,
					      .cpumode = start.cpumode},
			&block);
	if (ret)
		return ret;
	block->nr++;
	tally_sum_add(&block->cycles, newer->cycles);
	return 0;
}

int tally_blocks_add(struct tally_blocks *blocks, struct tally_machine *machine,
		     const struct tally_feed_sample *sample)
{
	uint64_t nr = tally_branches(&sample->sample);
	int ret = 0;

	for (uint64_t i = 0; i + 1 < nr && !ret; i++) {
		const struct perf_branch_entry newer = tally_branch(&sample->sample, i);
		const struct perf_branch_entry older = tally_branch(&sample->sample, i + 1);

		if (newer.cycles && older.to)
			ret = add_block(blocks, machine, sample, &older, &newer);
	}
	return ret;
}

static int compare(const void *a, const void *b)
{
	const struct tally_block *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

void tally_blocks_sort(struct tally_blocks *blocks)
{
	if (blocks->all.len)
		qsort(blocks->all.data, blocks->all.len, sizeof(*blocks->all.data), compare);
}

void tally_blocks_free(struct tally_blocks *blocks)
{
	tally_vec_free(&blocks->all);
	tally_intern_free(&blocks->keys);
}
