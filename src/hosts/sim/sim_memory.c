/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory. All pages are in one memfd, so a buffer's pages can be mapped a second time,
 * contiguously. User space sees the buffer through that mapping, even if the buffer's pages are
 * scattered.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/memory_file.h"
#include "hosts/sim/sim_private.h"

/* Byte that freed pages are filled with. */
enum { POISON = 0x6b };

/* Header of each block. It contains the size, and preserves malloc()'s alignment. */
struct block {
	_Alignas(16) size_t size;
};

int sim_memory_init(struct tally_sim *sim)
{
	size_t len = (size_t)sim->nr_pages * sim_ops.page_size;
	void *memory;

	sim->memory_fd = -1;
	sim->page_used = calloc(sim->nr_pages, 1);
	if (!sim->page_used || tally_memory_file_map("sim", len, &sim->memory_fd, &memory))
		return -ENOMEM;
	sim->memory = memory;
	return 0;
}

void sim_memory_exit(struct tally_sim *sim)
{
	if (sim->memory)
		munmap(sim->memory, (size_t)sim->nr_pages * sim_ops.page_size);
	if (sim->memory_fd >= 0)
		close(sim->memory_fd);
	free(sim->page_used);
}

/* Check that memory may be allocated in this context. Return false if the allocation must fail. */
static bool may_alloc(struct tally_sim *sim)
{
	sim_check_may_sleep(sim, "memory allocated with interrupts off",
			    "memory allocated under a lock");
	return !sim->fail_alloc || --sim->fail_alloc;
}

void *sim_alloc(void *host, size_t size)
{
	struct tally_sim *sim = host;
	struct block *block = may_alloc(sim) ? calloc(1, sizeof(*block) + size) : NULL;

	if (!block)
		return NULL;
	block->size = size;
	sim->held_bytes += size;
	return block + 1;
}

/* Create a lock: a flag that is set while the lock is held. The flag is not counted as allocated
 * memory. */
void *sim_lock_new(void *host)
{
	return may_alloc(host) ? calloc(1, sizeof(bool)) : NULL;
}

void sim_free(void *host, void *memory, size_t size)
{
	struct tally_sim *sim = host;
	struct block *block = (struct block *)memory - 1;

	if (!memory)
		return;
	sim_check_may_sleep(sim, "memory freed with interrupts off", "memory freed under a lock");
	if (block->size != size)
		sim_violate(sim, "memory freed with a size other than the allocated one");
	sim->held_bytes -= block->size;
	free(block);
}

/* Return the first of `nr` consecutive free pages, searching from page `from`, or nr_pages if there
 * is no such range. If `apart` is set, the page before the result must be free as well, to scatter
 * a buffer's pages. */
static uint32_t find_pages(const struct tally_sim *sim, uint32_t from, size_t nr, bool apart)
{
	uint32_t run = 0;

	for (uint32_t i = from; i < sim->nr_pages; i++) {
		run = sim->page_used[i] || (apart && i && sim->page_used[i - 1]) ? 0 : run + 1;
		if (run == nr)
			return i - (uint32_t)nr + 1;
	}
	return sim->nr_pages;
}

void *sim_pages_alloc(void *host, size_t nr)
{
	struct tally_sim *sim = host;
	bool scattered = tally_core_settings(sim->core)->scattered;
	uint32_t first = sim->nr_pages;

	if (!may_alloc(sim))
		return NULL;
	if (scattered && nr == 1)
		first = find_pages(sim, (uint32_t)(sim_random(sim) % sim->nr_pages), nr, true);
	if (first == sim->nr_pages)
		first = find_pages(sim, 0, nr, false);
	if (first == sim->nr_pages)
		return NULL;
	memset(sim->page_used + first, 1, nr);
	sim->held_pages += nr;
	return memset(sim->memory + first * sim_ops.page_size, 0, nr * sim_ops.page_size);
}

void sim_pages_free(void *host, void *pages, size_t nr)
{
	struct tally_sim *sim = host;
	size_t first = (size_t)((uint8_t *)pages - sim->memory) / sim_ops.page_size;

	if (!pages)
		return;
	sim_check_may_sleep(sim, "pages freed with interrupts off", "pages freed under a lock");
	if (first >= sim->nr_pages || nr > sim->nr_pages - first ||
	    memchr(sim->page_used + first, 0, nr)) {
		sim_violate(sim, "pages freed that were not allocated");
		return;
	}
	memset(pages, POISON, nr * sim_ops.page_size);
	memset(sim->page_used + first, 0, nr);
	sim->held_pages -= nr;
}

void *sim_map_buffer(struct tally_sim *sim, const struct tally_core_buffer *buffer, size_t len,
		     bool writable)
{
	int prot = writable ? PROT_READ | PROT_WRITE : PROT_READ;
	uint8_t *view = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (view == MAP_FAILED)
		return NULL;
	for (size_t at = 0; at < len; at += sim_ops.page_size) {
		uint8_t *page = tally_core_buffer_page(buffer, at / sim_ops.page_size);

		if (!page || mmap(view + at, sim_ops.page_size, prot, MAP_SHARED | MAP_FIXED,
				  sim->memory_fd, page - sim->memory) == MAP_FAILED) {
			munmap(view, len);
			return NULL;
		}
	}
	return view;
}

void tally_sim_fail_alloc(struct tally_sim *sim, uint64_t nth)
{
	sim->fail_alloc = nth;
}

void tally_sim_fail_copy(struct tally_sim *sim, const void *user, size_t len)
{
	sim->fail_from = (uintptr_t)user;
	sim->fail_to = sim->fail_from + len;
}

size_t tally_sim_allocated_bytes(const struct tally_sim *sim)
{
	return sim->held_bytes;
}

size_t tally_sim_allocated_pages(const struct tally_sim *sim)
{
	return sim->held_pages;
}

static bool user_faults(struct tally_sim *sim, const void *user, size_t len)
{
	uintptr_t from = (uintptr_t)user;

	sim_check_may_sleep(sim, "user memory accessed with interrupts off",
			    "user memory accessed under a lock");
	return len &&
	       (from < sim_ops.page_size || (from < sim->fail_to && sim->fail_from < from + len));
}

int sim_copy_from_user(void *host, void *to, const void *user, size_t len)
{
	if (user_faults(host, user, len))
		return -EFAULT;
	memcpy(to, user, len);
	return 0;
}

int sim_copy_to_user(void *host, void *user, const void *from, size_t len)
{
	if (user_faults(host, user, len))
		return -EFAULT;
	memcpy(user, from, len);
	return 0;
}
