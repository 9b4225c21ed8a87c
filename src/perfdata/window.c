/* SPDX-License-Identifier: BSD-2-Clause */
#include "perfdata/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

enum { IDLE_MAX = 8 };

struct tally_chunk *tally_chunk_new(struct tally_chunk_pool *pool, size_t cap)
{
	struct tally_chunk *chunk = pool->idle;

	if (cap <= TALLY_CHUNK_SIZE && chunk) {
		pool->idle = chunk->next;
		pool->nr_idle--;
	} else {
		cap = TALLY_MAX(cap, TALLY_CHUNK_SIZE);
		chunk = malloc(sizeof(*chunk) + cap);
		if (!chunk)
			return NULL;
		chunk->cap = cap;
		chunk->pool = pool;
	}
	chunk->refs = 1;
	pool->used += chunk->cap;
	return chunk;
}

void tally_chunk_ref(struct tally_chunk *chunk)
{
	chunk->refs++;
}

void tally_chunk_unref(struct tally_chunk *chunk)
{
	struct tally_chunk_pool *pool;

	if (!chunk || --chunk->refs)
		return;
	pool = chunk->pool;
	pool->used -= chunk->cap;
	if (chunk->cap != TALLY_CHUNK_SIZE || pool->nr_idle == IDLE_MAX) {
		free(chunk);
		return;
	}
	chunk->next = pool->idle;
	pool->idle = chunk;
	pool->nr_idle++;
}

void tally_chunk_pool_free(struct tally_chunk_pool *pool)
{
	while (pool->idle) {
		struct tally_chunk *chunk = pool->idle;

		pool->idle = chunk->next;
		free(chunk);
	}
	pool->nr_idle = 0;
}

/* Continue in a new chunk, copying the unread bytes to it. */
static int window_move(struct tally_window *window, size_t need)
{
	size_t left = window->end - window->at;
	struct tally_chunk *chunk = tally_chunk_new(window->pool, need);

	if (!chunk)
		return -ENOMEM;
	if (left)
		memcpy(chunk->data, window->chunk->data + window->at, left);
	tally_chunk_unref(window->chunk);
	window->chunk = chunk;
	window->at = 0;
	window->end = left;
	return 0;
}

int tally_window_peek(struct tally_window *window, size_t need, const uint8_t **ret_bytes,
		      size_t *ret_have)
{
	int ret;

	if (!window->chunk || window->chunk->cap - window->at < need) {
		ret = window_move(window, need);
		if (ret)
			return ret;
	}
	while (window->end - window->at < need) {
		int64_t got = window->fill(window->context, window->chunk->data + window->end,
					   window->chunk->cap - window->end);

		if (got < 0)
			return (int)got;
		if (!got)
			break;
		window->end += (size_t)got;
	}
	*ret_bytes = window->chunk->data + window->at;
	*ret_have = window->end - window->at;
	return 0;
}

void tally_window_free(struct tally_window *window)
{
	tally_chunk_unref(window->chunk);
	window->chunk = NULL;
	window->at = window->end = 0;
}
