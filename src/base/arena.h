/* SPDX-License-Identifier: BSD-2-Clause */
/* A chunked bump allocator for many small blocks that are freed together. An all-zero arena is
 * empty. */
#ifndef TALLY_BASE_ARENA_H
#define TALLY_BASE_ARENA_H

#include <stddef.h>

struct tally_arena_chunk;

struct tally_arena {
	struct tally_arena_chunk *chunks; /* newest first */
	char *at, *end;                   /* free part of the newest chunk */
	size_t total;                     /* bytes in all chunks */
};

/* Return `size` uninitialized bytes aligned to 16; NULL if out of memory. */
void *tally_arena_alloc(struct tally_arena *arena, size_t size);

/* Like tally_arena_alloc(), but without alignment: for bytes and text. */
void *tally_arena_bytes(struct tally_arena *arena, size_t size);

/* Return a NUL-terminated copy of `len` bytes; NULL if out of memory. */
char *tally_arena_strndup(struct tally_arena *arena, const char *text, size_t len);

/* Iterate over the memory from which blocks were allocated, newest chunk first. Pass NULL as `at`
 * to start; NULL is returned at the end. The memory has no gaps if all blocks are from
 * tally_arena_bytes(). */
const struct tally_arena_chunk *tally_arena_next(const struct tally_arena *arena,
						 const struct tally_arena_chunk *at,
						 const char **ret_data, size_t *ret_len);

/* Free all blocks; the arena is empty afterwards. */
void tally_arena_free(struct tally_arena *arena);

#endif
