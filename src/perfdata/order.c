/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfdata/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "perfdata/window.h"

/* Block capacities. Blocks grow within a run, so that many short runs in a hostile file remain
 * cheap. */
enum { BLOCK_FIRST = 2, BLOCK_MAX = 512 };

struct tally_order_block {
	struct tally_order_block *next;
	uint32_t len, cap; /* used entries and capacity */
	struct tally_order_entry entries[];
};

static size_t block_size(uint32_t cap)
{
	return sizeof(struct tally_order_block) + cap * sizeof(struct tally_order_entry);
}

static struct tally_order_block *block_new(struct tally_order *order, uint32_t cap)
{
	struct tally_order_block *block = order->idle;

	if (cap == BLOCK_MAX && block) {
		order->idle = block->next;
	} else {
		block = malloc(block_size(cap));
		if (!block)
			return NULL;
	}
	order->used += block_size(cap);
	block->next = NULL;
	block->len = 0;
	block->cap = cap;
	return block;
}

static void block_release(struct tally_order *order, struct tally_order_block *block)
{
	order->used -= block_size(block->cap);
	if (block->cap == BLOCK_MAX) {
		block->next = order->idle;
		order->idle = block;
	} else {
		free(block);
	}
}

/* ---- the heap of runs ---------------------------------------------------- */

static bool run_before(const struct tally_order *order, uint32_t a, uint32_t b)
{
	const struct tally_order_entry *x = order->runs.data[a].head;
	const struct tally_order_entry *y = order->runs.data[b].head;

	return x->time != y->time ? x->time < y->time : x->number < y->number;
}

static void heap_up(struct tally_order *order, size_t i)
{
	uint32_t *heap = order->heap.data, run = heap[i];

	while (i && run_before(order, run, heap[(i - 1) / 2])) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = run;
}

static void heap_down(struct tally_order *order)
{
	uint32_t *heap = order->heap.data, run = heap[0];
	size_t i = 0, child, nr = order->heap.len;

	while ((child = 2 * i + 1) < nr) {
		if (child + 1 < nr && run_before(order, heap[child + 1], heap[child]))
			child++;
		if (!run_before(order, heap[child], run))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = run;
}

/* ---- adding -------------------------------------------------------------- */

/* Find the run to which a record with this timestamp can be appended. Return the index of the first
 * run that ends at or before `time`, or runs.len if there is no such run. */
static size_t runs_find(const struct tally_order *order, uint64_t time)
{
	const struct tally_order_run *runs = order->runs.data;
	size_t low = 0, high = order->runs.len, i = order->current;

	if (i < high && runs[i].tail <= time && (!i || runs[i - 1].tail > time))
		return i;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (runs[middle].tail <= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Reserve space for one more entry at the end of the run. */
static int run_reserve(struct tally_order *order, struct tally_order_run *run)
{
	struct tally_order_block *last = run->last, *block;

	if (last && last->len < last->cap)
		return 0;
	block = block_new(order, last ? TALLY_MIN(2 * last->cap, BLOCK_MAX) : BLOCK_FIRST);
	if (!block)
		return -ENOMEM;
	if (last && !run->head) {
		block_release(order, last);
		run->first = block;
	} else if (last) {
		last->next = block;
	} else {
		run->first = block;
	}
	run->last = block;
	return 0;
}

/* Choose a run for a record if the current run cannot take the record, is empty, or has no space in
 * its last block. */
static struct tally_order_run *run_choose(struct tally_order *order, uint64_t time)
{
	size_t i = runs_find(order, time);

	if (i == order->runs.len && tally_vec_push(&order->runs, (struct tally_order_run){0}))
		return NULL;
	if (tally_vec_reserve(&order->heap, order->heap.len + 1) ||
	    run_reserve(order, &order->runs.data[i]))
		return NULL;
	order->current = i;
	return &order->runs.data[i];
}

/* Return true if the current run can take a record with timestamp `time`. The run must not be
 * empty, and its last block must have space. */
static bool run_continues(const struct tally_order *order, uint64_t time)
{
	const struct tally_order_run *run;

	if (order->current >= order->runs.len)
		return false;
	run = &order->runs.data[order->current];
	return run->head && run->tail <= time && run->last->len < run->last->cap &&
	       (!order->current || run[-1].tail > time);
}

struct tally_order_entry *tally_order_add(struct tally_order *order, uint64_t time, uint64_t number)
{
	struct tally_order_run *run = run_continues(order, time) ? &order->runs.data[order->current]
								 : run_choose(order, time);
	struct tally_order_entry *entry;

	if (!run)
		return NULL;
	entry = &run->last->entries[run->last->len++];
	*entry = (struct tally_order_entry){.time = time, .number = number};
	run->tail = time;
	if (!run->head) {
		run->head = entry;
		order->heap.data[order->heap.len++] = (uint32_t)order->current;
		heap_up(order, order->heap.len - 1);
	}
	return entry;
}

/* ---- removing ------------------------------------------------------------ */

static void runs_clear(struct tally_order *order)
{
	tally_vec_for_each (run, &order->runs) {
		while (run->first) {
			struct tally_order_block *block = run->first;

			run->first = block->next;
			block_release(order, block);
		}
	}
	if (order->runs.len)
		order->max = TALLY_MAX(order->max, order->runs.data[0].tail);
	order->runs.len = 0;
	order->heap.len = 0;
	order->current = 0;
}

/* Advance the run to its next block once the first block is used up. If there is no next block,
 * mark the run as empty. */
static void run_advance(struct tally_order *order, struct tally_order_run *run)
{
	struct tally_order_block *block = run->first;

	if (block->next) {
		run->first = block->next;
		run->head = run->first->entries;
		block_release(order, block);
		return;
	}
	block->len = 0;
	run->head = NULL;
	order->heap.data[0] = order->heap.data[--order->heap.len];
}

/* Prefetch records that will be removed soon. They were added long ago, so they are no longer in
 * the cache. */
static void prefetch_ahead(const struct tally_order_entry *head,
			   const struct tally_order_entry *end)
{
	enum { AHEAD = 6, LINE = 64 };

	if (end - head <= AHEAD)
		return;
	for (int i = 0; i < 3; i++)
		__builtin_prefetch(head[AHEAD].data + i * LINE);
}

bool tally_order_pop(struct tally_order *order, struct tally_order_entry *ret_entry)
{
	const struct tally_order_entry *end;
	struct tally_order_run *run;

	if (!order->heap.len)
		return false;
	run = &order->runs.data[order->heap.data[0]];
	if (run->head->time > order->limit && !order->is_unbound)
		return false;
	*ret_entry = *run->head++;
	order->taken = TALLY_MAX(order->taken, ret_entry->time);
	end = &run->first->entries[run->first->len];
	if (run->head == end)
		run_advance(order, run);
	else
		prefetch_ahead(run->head, end);
	if (order->heap.len > 1)
		heap_down(order);
	else if (!order->heap.len)
		runs_clear(order);
	return true;
}

void tally_order_round(struct tally_order *order)
{
	order->limit = TALLY_MAX(order->limit, order->rounds[1]);
	order->rounds[1] = order->rounds[0];
	/* The first run has the latest tail, because runs are sorted by tail. */
	order->rounds[0] =
		order->runs.len ? TALLY_MAX(order->max, order->runs.data[0].tail) : order->max;
}

void tally_order_limit_ignore(struct tally_order *order)
{
	order->is_unbound = true;
}

void tally_order_limit_apply(struct tally_order *order)
{
	order->is_unbound = false;
	order->limit = TALLY_MAX(order->limit, order->taken);
}

void tally_order_end(struct tally_order *order)
{
	order->limit = UINT64_MAX;
}

void tally_order_free(struct tally_order *order)
{
	struct tally_order_entry entry;

	tally_order_end(order);
	while (tally_order_pop(order, &entry))
		tally_chunk_unref(entry.chunk);
	runs_clear(order);
	tally_vec_free(&order->runs);
	tally_vec_free(&order->heap);
	while (order->idle) {
		struct tally_order_block *block = order->idle;

		order->idle = block->next;
		free(block);
	}
	memset(order, 0, sizeof(*order));
}
