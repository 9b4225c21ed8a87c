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

void tally_arena_free(struct tally_arena *arena);

#endif
