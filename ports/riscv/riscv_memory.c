/* SPDX-License-Identifier: BSD-2-Clause */
/* Page allocation, a heap with power-of-two block sizes, and page tables. */
#include "ports/riscv/riscv_kernel.h"

enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_U = 16, PTE_A = 64, PTE_D = 128 };
enum { ZONE_PAGES = (SHARED_END - SHARED_BASE) / PAGE_SIZE, CLASSES = 8, SMALLEST = 16 };

/* A contiguous range of pages; used[] marks the allocated pages. */
struct zone {
	uintptr_t base, nr;
	bool used[ZONE_PAGES];
};

static struct zone zones[2] = {
	{.base = HEAP_BASE, .nr = (HEAP_END - HEAP_BASE) / PAGE_SIZE},
	{.base = SHARED_BASE, .nr = (SHARED_END - SHARED_BASE) / PAGE_SIZE},
};
static void *free_lists[CLASSES]; /* free blocks of 16 to 2048 bytes, linked by their first word */

/* memset, which the compiler calls implicitly. Fills word by word if everything is aligned. */
void *memset(void *to, int byte, size_t len)
{
	uint8_t *at = to, *end = at + len;

	if (!byte && !(((uintptr_t)to | len) & 7)) {
		for (uint64_t *word = to; word < (uint64_t *)end; word++)
			*word = 0;
		return to;
	}
	while (at < end)
		*at++ = (uint8_t)byte;
	return to;
}

void *memcpy(void *to, const void *from, size_t len)
{
	uint8_t *at = to;
	const uint8_t *in = from;

	while (len--)
		*at++ = *in++;
	return to;
}

/* ---- page tables -------------------------------------------------------------------------- */

/* Return the table entry for an identity-mapped large page. Tasks have access if the page is in
 * user memory. */
static uintptr_t identity(uintptr_t at, uintptr_t flags)
{
	return at >> 2 | flags | (user_range(at, 1) ? PTE_U : 0) | PTE_V | PTE_R | PTE_W | PTE_A |
	       PTE_D;
}

#if __riscv_xlen == 64
static uint64_t root[512] __attribute__((aligned(PAGE_SIZE)));
static uint64_t low[512] __attribute__((aligned(PAGE_SIZE)));
static uint64_t high[512] __attribute__((aligned(PAGE_SIZE)));

/* Map devices below 1 GB and memory above 2 GB with 2 MB pages. */
void memory_init(void)
{
	for (uint64_t i = 0; i < 512; i++) {
		low[i] = identity(i * (MEGA4 / 2), 0);
		high[i] = identity(KERNEL_BASE + i * (MEGA4 / 2), PTE_X);
	}
	root[0] = (uint64_t)low >> 2 | PTE_V;
	root[2] = (uint64_t)high >> 2 | PTE_V;
}

static const uintptr_t mode = UINT64_C(8) << 60;
#else
static uint32_t root[1024] __attribute__((aligned(PAGE_SIZE)));

/* Map everything with 4 MB pages. */
void memory_init(void)
{
	for (uint32_t i = 0; i < 1024; i++)
		root[i] = identity(i * MEGA4, i * MEGA4 < KERNEL_BASE ? 0 : PTE_X);
}

static const uintptr_t mode = UINT32_C(1) << 31;
#endif

void memory_translate(void)
{
	csr_write(satp, mode | (uintptr_t)root >> 12);
	__asm__ volatile("sfence.vma" : : : "memory");
}

static bool range_contains(uintptr_t address, size_t len, uintptr_t begin, uintptr_t end)
{
	return address >= begin && address <= end && len <= end - address;
}

bool user_range(uintptr_t address, size_t len)
{
	return range_contains(address, len, USER_BASE, USER_BASE + MEGA4) ||
	       range_contains(address, len, SHARED_BASE, SHARED_END);
}

/* ---- pages -------------------------------------------------------------------------------- */

static void *zone_get(struct zone *zone, size_t nr)
{
	size_t run = 0;

	for (size_t i = 0; i < zone->nr; i++) {
		run = zone->used[i] ? 0 : run + 1;
		if (run < nr)
			continue;
		memset(&zone->used[i + 1 - nr], true, nr);
		return (void *)(zone->base + (i + 1 - nr) * PAGE_SIZE);
	}
	return NULL;
}

void *pages_get(bool shared, size_t nr)
{
	uint64_t flags = irq_save();
	void *pages;

	lock_acquire(&kernel.heap);
	pages = nr ? zone_get(&zones[shared], nr) : NULL;
	lock_release(&kernel.heap);
	irq_restore(flags);
	return pages ? memset(pages, 0, nr * PAGE_SIZE) : NULL;
}

void pages_put(void *pages, size_t nr)
{
	struct zone *zone = &zones[(uintptr_t)pages >= SHARED_BASE];
	uint64_t flags = irq_save();

	lock_acquire(&kernel.heap);
	memset(&zone->used[((uintptr_t)pages - zone->base) / PAGE_SIZE], false, nr);
	lock_release(&kernel.heap);
	irq_restore(flags);
}

/* ---- heap --------------------------------------------------------------------------------- */

static size_t size_class(size_t size)
{
	size_t class = 0;

	while ((size_t)SMALLEST << class < size)
		class ++;
	return class;
}

static size_t pages_for(size_t size)
{
	return (size + PAGE_SIZE - 1) / PAGE_SIZE;
}

static void *list_pop(size_t class)
{
	uint64_t flags = irq_save();
	void *first;

	lock_acquire(&kernel.heap);
	first = free_lists[class];
	if (first)
		free_lists[class] = *(void **)first;
	lock_release(&kernel.heap);
	irq_restore(flags);
	return first;
}

void heap_put(void *memory, size_t size)
{
	size_t class = size_class(size);
	uint64_t flags;

	if (class >= CLASSES) {
		pages_put(memory, pages_for(size));
		return;
	}
	flags = irq_save();
	lock_acquire(&kernel.heap);
	*(void **)memory = free_lists[class];
	free_lists[class] = memory;
	lock_release(&kernel.heap);
	irq_restore(flags);
}

/* Split a page into blocks, and add them to a size class. */
static bool class_grow(size_t class)
{
	size_t size = (size_t)SMALLEST << class;
	char *page = pages_get(false, 1);

	for (size_t at = 0; page && at < PAGE_SIZE; at += size)
		heap_put(page + at, size);
	return page;
}

void *heap_get(size_t size)
{
	size_t class = size_class(size);
	void *memory;

	if (class >= CLASSES)
		return pages_get(false, pages_for(size));
	while (!(memory = list_pop(class))) {
		if (!class_grow(class))
			return NULL;
	}
	return memset(memory, 0, (size_t)SMALLEST << class);
}
