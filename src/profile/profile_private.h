/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals shared by the source files of a profile. */
#ifndef TALLY_PROFILE_PROFILE_PRIVATE_H
#define TALLY_PROFILE_PROFILE_PRIVATE_H

#include "base/hash.h"
#include "profile/profile_model.h"

/* Return the hash under which a location key is cached. */
static inline uint64_t profile_location_key_hash(uint64_t location_key)
{
	return tally_hash_u64(location_key, 0);
}

/* Return the cache entry for a location key. */
static inline struct tally_address *profile_address(const struct tally_profile *profile,
						    uint64_t location_key)
{
	return &profile->addresses[profile_location_key_hash(location_key) &
				   (profile->address_slots - 1)];
}

/* Prefetch the cache entry for a location key. */
static inline void profile_address_prefetch(const struct tally_profile *profile,
					    uint64_t location_key)
{
	__builtin_prefetch(profile_address(profile, location_key));
}

/* Return true if callers are looked up. */
static inline bool profile_has_callers(const struct tally_profile *profile)
{
	return profile->options.by & TALLY_BY_PATH;
}

/* Clear the caches of addresses and callers. */
void profile_caches_clear(struct tally_profile *profile);

/* Grow the caches to their full size once a recording turns out to be large. This empties the
 * caches. Called between batches. Returns 0 or -ENOMEM. */
int profile_caches_grow(struct tally_profile *profile);

/* Find the frame for the location key at index `*at`, and advance `*at` past the key. Returns 0 or
 * -ENOMEM. */
int profile_frame(struct tally_profile *profile, const uint64_t *location_keys, size_t *at,
		  uint32_t *ret_frame);

/* Find the frame for a user-space address found on a stack, like profile_frame(). If the address is
 * not a possible return address, returns 1 and the frame of TALLY_CUT. */
int profile_caller(struct tally_profile *profile, const uint64_t *location_keys, size_t *at,
		   uint32_t *ret_frame);

/* Find the frame like profile_caller(), but without validating the address. */
int profile_caller_unvalidated(struct tally_profile *profile, const uint64_t *location_keys,
			       size_t *at, uint32_t *ret_frame);

/* Add the location keys of a sample and its chain to the batch (gather.c). Returns 0 or -ENOMEM. */
int profile_gather(struct tally_profile *profile, const struct tally_feed_sample *from,
		   struct tally_gathered *to);

/* Resolve the samples in `profile->batch`, and count them. Returns 0 or -ENOMEM. */
int profile_batch_resolve(struct tally_profile *profile);

/* Free the memory that a batch has allocated. */
void profile_batch_free(struct tally_batch *batch);

/* Return false if a sample was counted in the first pass and is not needed in the second pass. */
bool profile_sample_is_wanted(const struct tally_profile *profile, uint64_t number);

/* Return true if there is a filter. */
bool profile_filters(const struct tally_profile *profile);

/* Return true if a sample in `frame` of a thread with the name `comm` passes the filter. */
bool profile_passes(struct tally_profile *profile, uint32_t comm, uint32_t frame);

/* Return true if the frame is a function in which an idle CPU waits. */
bool profile_is_idle(const struct tally_profile *profile, uint32_t frame);

#endif
