/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/selftest/selftest_work.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int selftest_pages_map(size_t nr, struct selftest_pages *ret_pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *data =
		mmap(NULL, nr * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (data == MAP_FAILED)
		return -errno;
	/* A huge page would cause a single fault. */
	(void)madvise(data, nr * size, MADV_NOHUGEPAGE);
	*ret_pages = (struct selftest_pages){data, nr, size};
	return 0;
}

__attribute__((noinline)) void selftest_pages_touch(const struct selftest_pages *pages)
{
	for (size_t i = 0; i < pages->nr; i++)
		*(volatile unsigned char *)(pages->data + i * pages->size) = 1;
}

void selftest_pages_unmap(struct selftest_pages *pages)
{
	if (pages->data)
		munmap(pages->data, pages->nr * pages->size);
	*pages = (struct selftest_pages){0};
}

void selftest_faults(void)
{
	struct selftest_pages pages = {0};

	if (selftest_pages_map(SELFTEST_PAGES, &pages))
		return;
	selftest_pages_touch(&pages);
	selftest_pages_unmap(&pages);
}

void selftest_spin(void)
{
	for (volatile unsigned i = 0; i < 20000000; i++)
		;
}
