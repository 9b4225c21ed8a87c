/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded memory of what byte strings mean: (salt, bytes) to a 64-bit value. It forgets
 * the oldest when full and what collides, so a miss is never an error. Not thread-safe.
 */
#ifndef TALLY_BASE_CACHE_H
#define TALLY_BASE_CACHE_H

#include <stddef.h>
#include <stdint.h>

/* Never stored; what a miss returns. */
#define TALLY_CACHE_MISS UINT64_MAX

struct tally_cache_slot {
	uint64_t hash;
	uint64_t at; /* position in the log of everything ever stored */
	uint64_t value;
	uint64_t salt;
	size_t len;
};

struct tally_cache {
	struct tally_cache_slot *slots;
	size_t nr_slots;
	uint8_t *log; /* ring of the latest `log_size` bytes stored */
	size_t log_size;
	uint64_t head;
};

/* `nr_slots` entries (a power of two) whose bytes take up to `log_size`. 0 or -ENOMEM. */
int tally_cache_init(struct tally_cache *cache, size_t nr_slots, size_t log_size);
void tally_cache_free(struct tally_cache *cache);

/* The value of `bytes` under `salt`, or TALLY_CACHE_MISS. `*ret_hash` is for the put. */
uint64_t tally_cache_get(const struct tally_cache *cache, uint64_t salt, const void *bytes,
			 size_t len, uint64_t *ret_hash);

/* Remember a value; `hash` is from the get that missed. Too long a string is not kept. */
void tally_cache_put(struct tally_cache *cache, uint64_t salt, const void *bytes, size_t len,
		     uint64_t hash, uint64_t value);

#endif
