/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunked bump allocator: many small blocks, freed all at once. All zero is an empty arena. */
#ifndef TALLY_BASE_ARENA_H
#define TALLY_BASE_ARENA_H

#include <stddef.h>

struct tally_arena_chunk;

struct tally_arena {
	struct tally_arena_chunk *chunks; /* newest first */
	char *at, *end;                   /* free part of the newest chunk */
	size_t total;                     /* bytes in all chunks */
};

/* `size` bytes aligned to 16, uninitialised; NULL when out of memory. */
void *tally_arena_alloc(struct tally_arena *arena, size_t size);

/* The same without alignment, for bytes and text. */
void *tally_arena_bytes(struct tally_arena *arena, size_t size);

/* NUL-terminated copy of `len` bytes; NULL when out of memory. */
char *tally_arena_strndup(struct tally_arena *arena, const char *text, size_t len);

/* Walk the memory that blocks were handed out from, newest first: NULL begins, and ends. What was
 * handed out with tally_arena_bytes() alone has no holes. */
const struct tally_arena_chunk *tally_arena_next(const struct tally_arena *arena,
						 const struct tally_arena_chunk *at,
						 const char **ret_data, size_t *ret_len);

void tally_arena_free(struct tally_arena *arena);

#endif
