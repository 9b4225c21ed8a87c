/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Releases the pages of mapped files. The pages of a mapped file count as resident once they have
 * been read. Pages already read are dropped periodically; if a record in them is accessed again,
 * the page is faulted in again from the page cache. Memory use is therefore limited by the number
 * of queued records.
 */
#include <sys/mman.h>

#include "base/arith.h"
#include "perfdata/reader.h"

enum { PAGE = 4096 };

/* Number of bytes read between two calls to madvise(2). */
#define RELEASE_EVERY ((uint64_t)2 << 20)

static void release(struct tally_release *range)
{
	uintptr_t low = (uintptr_t)range->low & ~(uintptr_t)(PAGE - 1);
	uintptr_t high = tally_round_up((uintptr_t)range->high, PAGE);

	/* If this fails, the only cost is memory. */
	(void)madvise((void *)low, high - low, MADV_DONTNEED);
	range->low = range->high = NULL;
	range->touched = 0;
}

void tally_release_touch_in(const struct tally_perfdata *data, struct tally_release *range,
			    const uint8_t *at, size_t len)
{
	if (!data->release.enabled)
		return;
	/* Data in chunks is not part of the mapping. */
	if (at < data->bytes || at >= data->bytes + data->len)
		return;
	if (!range->low || at < range->low)
		range->low = at;
	if (at + len > range->high)
		range->high = at + len;
	range->touched += len;
	if (range->touched >= RELEASE_EVERY)
		release(range);
}

void tally_release_touch(struct tally_perfdata *data, const uint8_t *at, size_t len)
{
	tally_release_touch_in(data, &data->release, at, len);
}
