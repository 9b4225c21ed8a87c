/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts samples in buckets. */
#ifndef TALLY_PROFILE_BUCKETS_H
#define TALLY_PROFILE_BUCKETS_H

#include "profile/profile_private.h"

/* Rebuild the bucket index from the keys after buckets have been removed or keys changed. Returns 0
 * or -ENOMEM. */
int profile_buckets_index(struct tally_profile *profile);

/* Prefetch the index slot of a sample's bucket. The sample's key must be complete. This is the
 * first of three steps; a batch runs each step for all its samples before the next step. */
void profile_bucket_prefetch_slot(const struct tally_profile *profile,
				  struct tally_gathered *sample);

/* Second step: prefetch the bucket in that slot, which is probably the sample's bucket. */
void profile_bucket_prefetch(const struct tally_profile *profile,
			     const struct tally_gathered *sample);

/* Third step: add the sample to its bucket, creating the bucket if it is new. Returns 0 or
 * -ENOMEM. */
int profile_bucket_count(struct tally_profile *profile, const struct tally_gathered *sample);

#endif
