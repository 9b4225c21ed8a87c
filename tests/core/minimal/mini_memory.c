/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The core's memory. Allocations are tracked outside the allocated blocks, so that the sanitizer
 * can detect overruns. Without a sanitizer, freed memory is filled and kept until the end to detect
 * writes after free.
 */
#include <stdlib.h>
#include <string.h>

#include "core/minimal/mini.h"

struct mini_block {
	struct mini_block *next;
	void *memory;
	size_t size;
	bool pages;
};

enum { FREED = 0xdb, KEPT_MAX = 1 << 16 };

/* gcc and clang define different macros for the sanitizer. */
#ifdef __has_feature
#define HAS_SANITIZER __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif
enum { KEEPS = !HAS_SANITIZER };

static struct mini_block **list_of(struct mini *mini, const void *memory)
{
	return &mini->blocks[((uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

static void block_track(struct mini *mini, void *memory, size_t size, bool pages)
{
	struct mini_block **list = list_of(mini, memory), *block = malloc(sizeof(*block));

	if (!block)
		abort();
	*block = (struct mini_block){*list, memory, size, pages};
	*list = block;
}

static void block_quarantine(struct mini *mini, struct mini_block *block, size_t bytes)
{
	if (!KEEPS || bytes > KEPT_MAX) {
		free(block->memory);
		free(block);
		return;
	}
	memset(block->memory, FREED, bytes);
	block->size = bytes;
	block->next = mini->freed;
	mini->freed = block;
}

void mini_memory_check(struct mini *mini)
{
	while (mini->freed) {
		struct mini_block *block = mini->freed;
		const uint8_t *bytes = block->memory;

		mini->freed = block->next;
		for (size_t i = 0; i < block->size; i++) {
			if (bytes[i] != FREED)
				mini_broken(mini, "memory was written after it was freed");
		}
		free(block->memory);
		free(block);
	}
}

static void block_untrack(struct mini *mini, const void *memory, size_t size, bool pages)
{
	struct mini_block **at = list_of(mini, memory), *block;

	while (*at && (*at)->memory != memory)
		at = &(*at)->next;
	block = *at;
	if (!block) {
		mini_broken(mini, "memory is freed that is not held");
		return;
	}
	if (block->pages != pages)
		mini_broken(mini, "pages are freed as memory, or memory as pages");
	if (block->size != size)
		mini_broken(mini, "%zu are freed of memory made with %zu", size, block->size);
	*at = block->next;
	block_quarantine(mini, block, pages ? size * mini_ops.page_size : size);
}

static bool refuse(struct mini *mini)
{
	if (!mini->refuse_alloc || --mini->refuse_alloc)
		return false;
	mini->refused++;
	return true;
}

void *mini_alloc(void *host, size_t size)
{
	struct mini *mini = host;
	void *memory;

	mini_check(mini, MINI_OP_ALLOC);
	mini_at(mini, MINI_AT_ALLOC, NULL);
	memory = refuse(mini) ? NULL : calloc(1, size + !size);
	if (!memory)
		return NULL;
	block_track(mini, memory, size, false);
	mini->bytes += size;
	return memory;
}

void mini_free(void *host, void *memory, size_t size)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_FREE);
	block_untrack(mini, memory, size, false);
	mini->bytes -= size;
}

void *mini_pages_alloc(void *host, size_t nr)
{
	struct mini *mini = host;
	size_t page = mini_ops.page_size;
	void *pages;

	mini_check(mini, MINI_OP_PAGES_ALLOC);
	if (refuse(mini) || !nr || nr > SIZE_MAX / page ||
	    (mini->refuse_beyond && mini->pages + nr > mini->refuse_beyond))
		return NULL;
	pages = aligned_alloc(page, nr * page);
	if (!pages)
		return NULL;
	block_track(mini, pages, nr, true);
	mini->pages += nr;
	if (mini->pages > mini->peak_pages)
		mini->peak_pages = mini->pages;
	return memset(pages, 0, nr * page);
}

void mini_pages_free(void *host, void *pages, size_t nr)
{
	struct mini *mini = host;

	mini_check(mini, MINI_OP_PAGES_FREE);
	block_untrack(mini, pages, nr, true);
	mini->pages -= nr;
}

void mini_memory_abandon(struct mini *mini)
{
	for (int i = 0; i < MINI_BLOCKS; i++) {
		for (struct mini_block *block = mini->blocks[i], *next; block; block = next) {
			next = block->next;
			free(block->memory);
			free(block);
		}
		mini->blocks[i] = NULL;
	}
	mini_memory_check(mini);
}
