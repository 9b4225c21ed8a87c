/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Chunks start small, because many arenas are short-lived, and double up to 1 MiB. */
enum { CHUNK_MIN = 4096, CHUNK_MAX = 1 << 20 };

struct tally_arena_chunk {
	struct tally_arena_chunk *older;
	size_t size, used; /* `used` is set when a newer chunk is added */
	_Alignas(16) char data[];
};

static int arena_add_chunk(struct tally_arena *arena, size_t need)
{
	size_t size = arena->chunks ? arena->chunks->size * 2 : CHUNK_MIN;
	struct tally_arena_chunk *chunk;

	if (size > CHUNK_MAX)
		size = CHUNK_MAX;
	if (size < need)
		size = need;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return -1;
	*chunk = (struct tally_arena_chunk){arena->chunks, size};
	if (arena->chunks)
		arena->chunks->used = (size_t)(arena->at - arena->chunks->data);
	arena->chunks = chunk;
	arena->at = chunk->data;
	arena->end = chunk->data + size;
	arena->total += size;
	return 0;
}

void *tally_arena_bytes(struct tally_arena *arena, size_t size)
{
	void *block;

	if (size > SIZE_MAX / 2)
		return NULL;
	if ((size_t)(arena->end - arena->at) < size || !arena->at) {
		if (arena_add_chunk(arena, size))
			return NULL;
	}
	block = arena->at;
	arena->at += size;
	return block;
}

void *tally_arena_alloc(struct tally_arena *arena, size_t size)
{
	size_t pad = -(uintptr_t)arena->at & 15;

	if (arena->at && (size_t)(arena->end - arena->at) >= pad)
		arena->at += pad;
	else
		arena->at = arena->end; /* forces a new chunk, which is aligned */
	return tally_arena_bytes(arena, size);
}

char *tally_arena_strndup(struct tally_arena *arena, const char *text, size_t len)
{
	char *copy = tally_arena_bytes(arena, len + 1);

	if (copy) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

const struct tally_arena_chunk *tally_arena_next(const struct tally_arena *arena,
						 const struct tally_arena_chunk *at,
						 const char **ret_data, size_t *ret_len)
{
	at = at ? at->older : arena->chunks;
	if (at) {
		*ret_data = at->data;
		*ret_len = at == arena->chunks ? (size_t)(arena->at - at->data) : at->used;
	}
	return at;
}

void tally_arena_free(struct tally_arena *arena)
{
	struct tally_arena_chunk *chunk = arena->chunks;

	while (chunk) {
		struct tally_arena_chunk *older = chunk->older;

		free(chunk);
		chunk = older;
	}
	*arena = (struct tally_arena){0};
}
