/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes that come once, from front to back (a pipe, a decompressor), seen through a window
 * in which every record is contiguous. The bytes live in counted chunks, so that records
 * that wait for their turn keep theirs while the window goes on.
 */
#ifndef TALLY_PERFDATA_WINDOW_H
#define TALLY_PERFDATA_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define TALLY_CHUNK_SIZE ((size_t)256 << 10)

struct tally_chunk {
	struct tally_chunk *next; /* in the pool */
	struct tally_chunk_pool *pool;
	uint32_t refs;
	size_t cap;
	uint8_t data[];
};

/* A few idle chunks of TALLY_CHUNK_SIZE. */
struct tally_chunk_pool {
	struct tally_chunk *idle;
	uint32_t nr_idle;
	uint64_t used; /* bytes of chunks that are referenced */
};

/* A chunk of at least `cap` bytes with one reference, NULL when out of memory. */
struct tally_chunk *tally_chunk_new(struct tally_chunk_pool *pool, size_t cap);
void tally_chunk_ref(struct tally_chunk *chunk);
/* Drop a reference; NULL is allowed. */
void tally_chunk_unref(struct tally_chunk *chunk);
void tally_chunk_pool_free(struct tally_chunk_pool *pool);

/* Put up to `cap` bytes into `to`. The number put, 0 when there are none now, or -errno. */
typedef int64_t tally_fill_fn(void *context, uint8_t *to, size_t cap);

struct tally_window {
	tally_fill_fn *fill;
	void *context;
	struct tally_chunk_pool *pool;
	struct tally_chunk *chunk; /* NULL at first */
	size_t at, end;            /* the bytes unread */
};

/* Make `need` bytes contiguous. `*ret_bytes` points to `*ret_have` of them, fewer than needed
 * only when the source has no more. 0, -ENOMEM, or the error of the source. */
int tally_window_peek(struct tally_window *window, size_t need, const uint8_t **ret_bytes,
		      size_t *ret_have);

/* Consume `size` bytes, at most as many as were had. They stay where they are until the next
 * peek, longer with a reference to `window->chunk`. */
static inline void tally_window_skip(struct tally_window *window, size_t size)
{
	window->at += size;
}

void tally_window_free(struct tally_window *window);

#endif
