/* SPDX-License-Identifier: BSD-2-Clause */
/* Resolves a sample's callers in four steps. Each step prefetches the memory that the next step
 * needs. */
#ifndef TALLY_PROFILE_CHAIN_H
#define TALLY_PROFILE_CHAIN_H

#include "profile/profile_private.h"

/* Hash the callers of a sample that has at least one caller, and prefetch their cache entry. */
void profile_callers_prefetch(struct tally_profile *profile, struct tally_gathered *to);

/* Look up the callers in the cache. If they are not cached, prefetch the cache entries of their
 * addresses; only then are the following two steps needed. */
void profile_callers_lookup(struct tally_profile *profile, struct tally_gathered *sample);

/* Find the callers' frames, and prefetch the slot of the stack that they form. Returns 0 or
 * -ENOMEM. */
int profile_callers_frames(struct tally_profile *profile, struct tally_gathered *sample);

/* Find the stack made up of the callers' frames, and cache it. Returns 0 or -ENOMEM. */
int profile_callers_stack(struct tally_profile *profile, struct tally_gathered *sample);

#endif
