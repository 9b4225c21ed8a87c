/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a profile share. */
#ifndef TALLY_PROFILE_PROFILE_PRIVATE_H
#define TALLY_PROFILE_PROFILE_PRIVATE_H

#include "base/hash.h"
#include "profile/profile.h"

/* By which a word is remembered. */
static inline uint64_t profile_word_hash(uint64_t word)
{
	return tally_hash_u64(word, 0);
}

/* Where a word is remembered. */
static inline struct tally_address *profile_address(const struct tally_profile *profile,
						    uint64_t word)
{
	return &profile->addresses[profile_word_hash(word) & (profile->address_slots - 1)];
}

/* Ask for the memory where a word is remembered. */
static inline void profile_address_fetch(const struct tally_profile *profile, uint64_t word)
{
	__builtin_prefetch(profile_address(profile, word));
}

/* Whether callers are looked up at all. */
static inline bool profile_takes_callers(const struct tally_profile *profile)
{
	return profile->options.by & TALLY_BY_PATH;
}

/* What addresses and callers were is not so any more. */
void profile_caches_clear(struct tally_profile *profile);

/* The frame of the word at `*at`, which moves behind it. 0 or -ENOMEM. */
int profile_frame(struct tally_profile *profile, const uint64_t *words, size_t *at,
		  uint32_t *ret_frame);

/* Note the words of a sample and its chain in the batch; see gather.c. 0 or -ENOMEM. */
int profile_gather(struct tally_profile *profile, const struct tally_thread *thread,
		   uint8_t cpumode, const struct tally_sample *sample, struct tally_gathered *to);

/* Find out what the samples of the batch are, and count them. 0 or -ENOMEM. */
int profile_batch_resolve(struct tally_profile *profile);

/* Note that a sample comes; whether it is to be taken (1) or was counted before and is not recalled
 * (0); or -ENOMEM. */
int profile_sample_comes(struct tally_profile *profile, uint64_t number);

/* Whether there is a filter. */
bool profile_filters(const struct tally_profile *profile);

/* Whether a sample in `frame` of a thread that is called `comm` passes it. */
bool profile_passes(struct tally_profile *profile, uint32_t comm, uint32_t frame);

#endif
