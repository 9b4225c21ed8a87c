/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of the core. Allocations are tracked in separate objects, so that the sanitizer detects
 * overruns. Without a sanitizer, freed memory is filled and kept until the end to detect writes
 * after free.
 */
#include <stdlib.h>
#include <string.h>

#include "core/least/least.h"

struct least_block {
	struct least_block *next;
	void *memory;
	size_t size;
	bool pages;
};

enum { FREED = 0xdb, KEPT_MAX = 1 << 16 };

/* gcc and clang announce the sanitizer differently. */
#ifdef __has_feature
#define HAS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif
enum { KEEPS = !HAS_SANITIZER };

static struct least_block **list_of(struct least *least, const void *memory)
{
	return &least->blocks[((uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

static void note(struct least *least, void *memory, size_t size, bool pages)
{
	struct least_block **list = list_of(least, memory), *block = malloc(sizeof(*block));

	if (!block)
		abort();
	*block = (struct least_block){*list, memory, size, pages};
	*list = block;
}

static void keep(struct least *least, struct least_block *block, size_t bytes)
{
	if (!KEEPS || bytes > KEPT_MAX) {
		free(block->memory);
		free(block);
		return;
	}
	memset(block->memory, FREED, bytes);
	block->size = bytes;
	block->next = least->freed;
	least->freed = block;
}

void least_memory_check(struct least *least)
{
	while (least->freed) {
		struct least_block *block = least->freed;
		const uint8_t *bytes = block->memory;

		least->freed = block->next;
		for (size_t i = 0; i < block->size; i++) {
			if (bytes[i] != FREED)
				least_broken(least, "memory was written after it was freed");
		}
		free(block->memory);
		free(block);
	}
}

static void forget(struct least *least, const void *memory, size_t size, bool pages)
{
	struct least_block **at = list_of(least, memory), *block;

	while (*at && (*at)->memory != memory)
		at = &(*at)->next;
	block = *at;
	if (!block) {
		least_broken(least, "memory is freed that is not held");
		return;
	}
	if (block->pages != pages)
		least_broken(least, "pages are freed as memory, or memory as pages");
	if (block->size != size)
		least_broken(least, "%zu are freed of memory made with %zu", size, block->size);
	*at = block->next;
	keep(least, block, pages ? size * least_ops.page_size : size);
}

static bool refuse(struct least *least)
{
	if (!least->refuse_alloc || --least->refuse_alloc)
		return false;
	least->refused++;
	return true;
}

void *least_alloc(void *host, size_t size)
{
	struct least *least = host;
	void *memory;

	least_check(least, LEAST_OP_ALLOC);
	least_at(least, LEAST_AT_ALLOC, NULL);
	memory = refuse(least) ? NULL : calloc(1, size + !size);
	if (!memory)
		return NULL;
	note(least, memory, size, false);
	least->bytes += size;
	return memory;
}

void least_free(void *host, void *memory, size_t size)
{
	struct least *least = host;

	least_check(least, LEAST_OP_FREE);
	forget(least, memory, size, false);
	least->bytes -= size;
}

void *least_pages_alloc(void *host, size_t nr)
{
	struct least *least = host;
	size_t page = least_ops.page_size;
	void *pages;

	least_check(least, LEAST_OP_PAGES_ALLOC);
	if (refuse(least) || !nr || nr > SIZE_MAX / page ||
	    (least->refuse_beyond && least->pages + nr > least->refuse_beyond))
		return NULL;
	pages = aligned_alloc(page, nr * page);
	if (!pages)
		return NULL;
	note(least, pages, nr, true);
	least->pages += nr;
	if (least->pages > least->peak_pages)
		least->peak_pages = least->pages;
	return memset(pages, 0, nr * page);
}

void least_pages_free(void *host, void *pages, size_t nr)
{
	struct least *least = host;

	least_check(least, LEAST_OP_PAGES_FREE);
	forget(least, pages, nr, true);
	least->pages -= nr;
}

void least_memory_abandon(struct least *least)
{
	for (int i = 0; i < LEAST_BLOCKS; i++) {
		for (struct least_block *block = least->blocks[i], *next; block; block = next) {
			next = block->next;
			free(block->memory);
			free(block);
		}
		least->blocks[i] = NULL;
	}
	least_memory_check(least);
}
