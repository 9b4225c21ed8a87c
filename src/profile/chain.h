/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolving the callers of a sample in four steps. Each prefetches the memory that the next one
 * needs. */
#ifndef TALLY_PROFILE_CHAIN_H
#define TALLY_PROFILE_CHAIN_H

#include "profile/profile_private.h"

/* Hash the callers of a sample that has some, and prefetch their cache entry. */
void profile_callers_prefetch(struct tally_profile *profile, struct tally_gathered *to);

/* Look the callers up in the cache. If they are not in it, prefetch the cache entries of their
 * addresses; the two steps below are needed only then. */
void profile_callers_lookup(struct tally_profile *profile, struct tally_gathered *sample);

/* Find the frames of the callers, and prefetch the slot of their stack. Returns 0 or -ENOMEM. */
int profile_callers_frames(struct tally_profile *profile, struct tally_gathered *sample);

/* Find the stack of these frames, and cache it. Returns 0 or -ENOMEM. */
int profile_callers_stack(struct tally_profile *profile, struct tally_gathered *sample);

#endif
