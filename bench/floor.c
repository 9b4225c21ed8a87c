/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	floor walk|count FILE
 *
 * Do a minimum of work on a recording, as a lower bound for the time of a report. `walk` walks
 * through the mapped records and reads the ip, thread and time of each sample. `count` adds each
 * thread and ip to a hash table, in batches with prefetching. The input must be a file with one
 * event, written by `perf record` on this machine; it is not validated.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/abi_record.h"
#include "base/endian.h"
#include "base/file.h"
#include "base/hash.h"

enum { SLOTS = 1 << 20, BATCH = 32, STEP = 4 << 20, PAGE = 4096 };
enum { DATA_OFFSET = 40, DATA_SIZE = 48 };                /* offsets in the file header */
enum { IP = 8, THREAD = 16, TIME = 24, SAMPLE_MIN = 32 }; /* offsets in a sample */

struct slot {
	uint64_t key, nr;
};

struct minimal {
	struct slot *slots; /* NULL to walk only */
	uint64_t keys[BATCH];
	int nr_keys;
	uint64_t samples, different, sum;
};

static struct slot *slot_of(const struct minimal *least, uint64_t key)
{
	return &least->slots[tally_hash_u64(key, 0) % SLOTS];
}

static void batch_count(struct minimal *least)
{
	for (int i = 0; i < least->nr_keys; i++) {
		struct slot *slot = slot_of(least, least->keys[i]);

		while (slot->key && slot->key != least->keys[i])
			slot = slot + 1 < least->slots + SLOTS ? slot + 1 : least->slots;
		least->different += !slot->key;
		slot->key = least->keys[i];
		slot->nr++;
	}
	least->nr_keys = 0;
}

static void sample_take(struct minimal *least, const uint8_t *sample)
{
	uint64_t ip = tally_get_u64(sample + IP), thread = tally_get_u64(sample + THREAD);

	least->samples++;
	least->sum += ip ^ thread ^ tally_get_u64(sample + TIME);
	if (!least->slots)
		return;
	least->keys[least->nr_keys] = (ip ^ thread * 0x9e3779b97f4a7c15ull) | 1;
	__builtin_prefetch(slot_of(least, least->keys[least->nr_keys++]));
	/* A search in a full table would not terminate. */
	if (least->nr_keys == BATCH && least->different < SLOTS - BATCH)
		batch_count(least);
	least->nr_keys %= BATCH;
}

static void records_walk(struct minimal *least, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *kept = at;
	struct perf_event_header header;

	for (; end - at >= (ptrdiff_t)sizeof(header); at += header.size) {
		memcpy(&header, at, sizeof(header));
		if (header.size < sizeof(header) || header.size > end - at)
			break;
		if (header.type == PERF_RECORD_SAMPLE && header.size >= SAMPLE_MIN)
			sample_take(least, at);
		if (at - kept < STEP)
			continue;
		madvise((void *)((uintptr_t)kept & -(uintptr_t)PAGE),
			(size_t)(at - kept) & -(size_t)PAGE, MADV_DONTNEED);
		kept = at;
	}
}

int main(int argc, char **argv)
{
	struct tally_file_map map = {0};
	struct minimal least = {0};
	uint64_t offset, size;
	int ret = argc == 3 ? tally_file_map(argv[2], &map) : -EINVAL;

	if (!ret && map.len < DATA_SIZE + 8)
		ret = -EINVAL;
	if (!ret && !strcmp(argv[1], "count"))
		least.slots = calloc(SLOTS, sizeof(*least.slots));
	if (!ret) {
		offset = tally_get_u64(map.data + DATA_OFFSET);
		size = tally_get_u64(map.data + DATA_SIZE);
		ret = offset > map.len || size > map.len - offset ? -EINVAL : 0;
	}
	if (ret) {
		fprintf(stderr, "usage: floor walk|count FILE\n");
	} else {
		records_walk(&least, map.data + offset, map.data + offset + size);
		batch_count(&least);
		printf("%" PRIu64 " samples, %" PRIu64 " different, %" PRIx64 "\n", least.samples,
		       least.different, least.sum);
	}
	free(least.slots);
	tally_file_unmap(&map);
	return ret != 0;
}
