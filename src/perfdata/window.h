/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A window over bytes that can be read only once and in order, such as those from a pipe or a
 * decompressor. Every record is contiguous in the window. The bytes are stored in reference-counted
 * chunks, so queued records keep their data while the window advances.
 */
#ifndef TALLY_PERFDATA_WINDOW_H
#define TALLY_PERFDATA_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#define TALLY_CHUNK_SIZE ((size_t)256 << 10)

struct tally_chunk {
	struct tally_chunk *next; /* next idle chunk in the pool */
	struct tally_chunk_pool *pool;
	uint32_t refs;
	size_t cap;
	uint8_t data[];
};

/* Idle chunks of TALLY_CHUNK_SIZE, kept for reuse. */
struct tally_chunk_pool {
	struct tally_chunk *idle;
	uint32_t nr_idle;
	uint64_t used; /* total size of all referenced chunks in bytes */
};

/* Allocate a chunk of at least `cap` bytes, with one reference. Returns NULL when out of memory. */
struct tally_chunk *tally_chunk_new(struct tally_chunk_pool *pool, size_t cap);
void tally_chunk_ref(struct tally_chunk *chunk);
/* Drop a reference. `chunk` may be NULL. */
void tally_chunk_unref(struct tally_chunk *chunk);
void tally_chunk_pool_free(struct tally_chunk_pool *pool);

/* Callback that stores up to `cap` bytes at `to`. Returns the number of bytes stored, 0 if none are
 * available now, or -errno. */
typedef int64_t tally_fill_fn(void *context, uint8_t *to, size_t cap);

struct tally_window {
	tally_fill_fn *fill;
	void *context;
	struct tally_chunk_pool *pool;
	struct tally_chunk *chunk; /* NULL before the first peek */
	size_t at, end;            /* range of the unread bytes */
};

/* Make `need` bytes contiguous. `*ret_bytes` points to `*ret_have` bytes. `*ret_have` is less than
 * `need` only if the source has no more bytes. Returns 0, -ENOMEM, or the source's error. */
int tally_window_peek(struct tally_window *window, size_t need, const uint8_t **ret_bytes,
		      size_t *ret_have);

/* Consume `size` bytes, at most as many as the last peek returned. The bytes remain valid until the
 * next peek, or longer if the caller holds a reference to `window->chunk`. */
static inline void tally_window_skip(struct tally_window *window, size_t size)
{
	window->at += size;
}

void tally_window_free(struct tally_window *window);

#endif
