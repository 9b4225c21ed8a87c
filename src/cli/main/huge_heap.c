/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/main/huge_heap.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/arith.h"

enum { RESERVE = 1 << 30, FIRST = 1 << 20, TOP_PAD = 128 << 10, HUGE_PAGE = 2 << 20 };

void tally_heap_prepare(void)
{
	uintptr_t from;
	void *first;

	/* All threads allocate from this heap. */
	if (!mallopt(M_ARENA_MAX, 1) || !mallopt(M_TOP_PAD, RESERVE) || !mallopt(M_MMAP_MAX, 0) ||
	    !mallopt(M_TRIM_THRESHOLD, INT_MAX))
		return;
	first = malloc(FIRST);
	from = tally_round_up((uintptr_t)first, HUGE_PAGE);
	/* Best effort: without huge pages, only performance suffers. */
	if (first)
		(void)madvise((void *)from, RESERVE - HUGE_PAGE, MADV_HUGEPAGE);
	free(first);
	(void)mallopt(M_TOP_PAD, TOP_PAD);
}
