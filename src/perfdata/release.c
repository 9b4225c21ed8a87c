/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Giving pages back. A mapped file counts as resident as far as it was read, so what lies
 * behind is dropped from time to time; a record looked at again later is simply mapped
 * again from the page cache. This keeps memory bounded by the records that wait.
 */
#include <sys/mman.h>

#include "base/arith.h"
#include "perfdata/reader.h"

enum { PAGE = 4096 };

/* How many bytes are looked at between two calls of madvise(2). */
#define RELEASE_EVERY ((uint64_t)2 << 20)

static void release(struct tally_perfdata *data)
{
	uintptr_t low = (uintptr_t)data->release.low & ~(uintptr_t)(PAGE - 1);
	uintptr_t high = tally_round_up((uintptr_t)data->release.high, PAGE);

	/* Failure costs memory, nothing else. */
	(void)madvise((void *)low, high - low, MADV_DONTNEED);
	data->release.low = data->release.high = NULL;
	data->release.touched = 0;
}

void tally_release_touch(struct tally_perfdata *data, const uint8_t *at, size_t len)
{
	struct tally_release *range = &data->release;

	if (!range->enabled)
		return;
	/* Data in chunks is not in the mapping. */
	if (at < data->bytes || at >= data->bytes + data->len)
		return;
	if (!range->low || at < range->low)
		range->low = at;
	if (at + len > range->high)
		range->high = at + len;
	range->touched += len;
	if (range->touched >= RELEASE_EVERY)
		release(data);
}
