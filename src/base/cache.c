/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

int tally_cache_init(struct tally_cache *cache, size_t nr_slots, size_t log_size)
{
	struct tally_cache made = {
		.slots = calloc(nr_slots, sizeof(*made.slots)),
		.nr_slots = nr_slots,
		.log = malloc(log_size),
		.log_size = log_size,
		.head = 1, /* position 0 is that of slots never used */
	};

	if (!made.slots || !made.log) {
		tally_cache_free(&made);
		return -ENOMEM;
	}
	*cache = made;
	return 0;
}

void tally_cache_free(struct tally_cache *cache)
{
	free(cache->slots);
	free(cache->log);
	*cache = (struct tally_cache){0};
}

uint64_t tally_cache_get(const struct tally_cache *cache, uint64_t salt, const void *bytes,
			 size_t len, uint64_t *ret_hash)
{
	uint64_t hash = tally_hash_bytes(bytes, len, salt ^ (uintptr_t)cache->log);
	const struct tally_cache_slot *slot = &cache->slots[hash & (cache->nr_slots - 1)];

	*ret_hash = hash;
	if (slot->hash != hash || slot->salt != salt || slot->len != len || !slot->at ||
	    cache->head - slot->at > cache->log_size ||
	    memcmp(cache->log + slot->at % cache->log_size, bytes, len))
		return TALLY_CACHE_MISS;
	return slot->value;
}

void tally_cache_put(struct tally_cache *cache, uint64_t salt, const void *bytes, size_t len,
		     uint64_t hash, uint64_t value)
{
	size_t room = cache->log_size - cache->head % cache->log_size;

	if (len > cache->log_size / 2)
		return;
	/* No string straddles the end of the ring. */
	if (room < len)
		cache->head += room;
	memcpy(cache->log + cache->head % cache->log_size, bytes, len);
	cache->slots[hash & (cache->nr_slots - 1)] =
		(struct tally_cache_slot){hash, cache->head, value, salt, len};
	cache->head += len;
}
