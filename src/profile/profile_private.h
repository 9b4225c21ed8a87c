/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a profile share. */
#ifndef TALLY_PROFILE_PROFILE_PRIVATE_H
#define TALLY_PROFILE_PROFILE_PRIVATE_H

#include "base/hash.h"
#include "profile/profile.h"

/* By which a location key is remembered. */
static inline uint64_t profile_location_key_hash(uint64_t location_key)
{
	return tally_hash_u64(location_key, 0);
}

/* Where a location key is remembered. */
static inline struct tally_address *profile_address(const struct tally_profile *profile,
						    uint64_t location_key)
{
	return &profile->addresses[profile_location_key_hash(location_key) &
				   (profile->address_slots - 1)];
}

/* Prefetch the memory where a location key is remembered. */
static inline void profile_address_prefetch(const struct tally_profile *profile,
					    uint64_t location_key)
{
	__builtin_prefetch(profile_address(profile, location_key));
}

/* Whether callers are looked up at all. */
static inline bool profile_has_callers(const struct tally_profile *profile)
{
	return profile->options.by & TALLY_BY_PATH;
}

/* What addresses and callers were is not so any more. */
void profile_caches_clear(struct tally_profile *profile);

/* Give the caches their full size once a recording turns out to be large; what they remembered is
 * found again. Between batches. 0 or -ENOMEM. */
int profile_caches_grow(struct tally_profile *profile);

/* The frame of the location key at `*at`, which moves behind it. 0 or -ENOMEM. */
int profile_frame(struct tally_profile *profile, const uint64_t *location_keys, size_t *at,
		  uint32_t *ret_frame);

/* The same of an address in user space that was found on a stack; where no return can lead to it, 1
 * and the frame TALLY_CUT. */
int profile_caller(struct tally_profile *profile, const uint64_t *location_keys, size_t *at,
		   uint32_t *ret_frame);

/* The same of one that is not judged. */
int profile_caller_as_is(struct tally_profile *profile, const uint64_t *location_keys, size_t *at,
			 uint32_t *ret_frame);

/* Note the location keys of a sample and its chain in the batch; see gather.c. 0 or -ENOMEM. */
int profile_gather(struct tally_profile *profile, const struct tally_thread *thread,
		   uint8_t cpumode, const struct tally_sample *sample, struct tally_gathered *to);

/* Find out what the samples of the batch are, and count them. 0 or -ENOMEM. */
int profile_batch_resolve(struct tally_profile *profile);

/* Whether a sample is to be counted (1) or was counted in the first pass and is not wanted in the
 * second pass (0); or -ENOMEM. */
int profile_sample_is_wanted(struct tally_profile *profile, uint64_t number);

/* Whether there is a filter. */
bool profile_filters(const struct tally_profile *profile);

/* Whether a sample in `frame` of a thread that is called `comm` passes it. */
bool profile_passes(struct tally_profile *profile, uint32_t comm, uint32_t frame);

#endif
