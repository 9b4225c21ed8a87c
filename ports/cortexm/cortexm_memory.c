/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap with a list of free pieces, sorted by address. Allocation is first fit; adjacent free
 * pieces are joined. */
#include "ports/cortexm/cortexm_kernel.h"

enum { GRAIN = 16 };

struct heap_piece {
	struct heap_piece *next;
	size_t size;
};

/* memset and memcpy, which the compiler calls implicitly. */
void *memory_fill(void *to, int byte, size_t len) __asm__("memset");
void *memory_copy(void *to, const void *from, size_t len) __asm__("memcpy");

static struct heap_piece *pieces;
static size_t used, most;

/* Fill memory, word by word if everything is aligned. */
void *memory_fill(void *to, int byte, size_t len)
{
	uint8_t *at = to, *end = at + len;

	if (!byte && !(((uintptr_t)to | len) & 3)) {
		for (uint32_t *word = to; word < (uint32_t *)end; word++)
			*word = 0;
		return to;
	}
	while (at < end)
		*at++ = (uint8_t)byte;
	return to;
}

void *memory_copy(void *to, const void *from, size_t len)
{
	uint8_t *at = to;
	const uint8_t *in = from;

	while (len--)
		*at++ = *in++;
	return to;
}

static size_t rounded(size_t size)
{
	return (size + GRAIN - 1) & ~(size_t)(GRAIN - 1);
}

static char *end_of(struct heap_piece *piece)
{
	return (char *)piece + piece->size;
}

/* Insert a piece, and join it with the adjacent pieces before and after it. */
static void insert(void *memory, size_t size)
{
	struct heap_piece **link = &pieces, *before = NULL, *piece = memory;

	while (*link && *link < piece) {
		before = *link;
		link = &before->next;
	}
	*piece = (struct heap_piece){.next = *link, .size = size};
	*link = piece;
	if (piece->next && end_of(piece) == (char *)piece->next) {
		piece->size += piece->next->size;
		piece->next = piece->next->next;
	}
	if (before && end_of(before) == memory) {
		before->size += piece->size;
		before->next = piece->next;
	}
}

void heap_init(void *memory, size_t size)
{
	insert(memory, size);
}

/* Cut `size` bytes at an aligned address from the first piece that is large enough. */
static void *cut(size_t size, size_t align)
{
	for (struct heap_piece **link = &pieces; *link; link = &(*link)->next) {
		struct heap_piece *piece = *link;
		uintptr_t from = ((uintptr_t)piece + align - 1) & ~(uintptr_t)(align - 1);
		size_t skip = from - (uintptr_t)piece, have = piece->size;

		if (skip > have || have - skip < size)
			continue;
		*link = piece->next;
		if (have - skip > size)
			insert((char *)from + size, have - skip - size);
		if (skip)
			insert(piece, skip);
		return (void *)from;
	}
	return NULL;
}

void *heap_alloc(size_t size, size_t align)
{
	uint32_t flags;
	void *memory;

	if (!size || size > DATA_SIZE)
		return NULL;
	size = rounded(size);
	flags = irq_save();
	memory = cut(size, align < GRAIN ? GRAIN : align);
	if (memory)
		used += size;
	most = used > most ? used : most;
	irq_restore(flags);
	return memory ? memory_fill(memory, 0, size) : NULL;
}

void heap_free(void *memory, size_t size)
{
	uint32_t flags = irq_save();

	insert(memory, rounded(size));
	used -= rounded(size);
	irq_restore(flags);
}

size_t heap_used(size_t *ret_most)
{
	*ret_most = most;
	return used;
}
