/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting samples in buckets. */
#ifndef TALLY_PROFILE_BUCKETS_H
#define TALLY_PROFILE_BUCKETS_H

#include "profile/profile_private.h"

/* Build the look-up of buckets anew from their keys, after buckets were removed, or their keys
 * changed. 0 or -ENOMEM. */
int profile_buckets_index(struct tally_profile *profile);

/* Of a sample whose key is whole, prefetch the slot where its bucket is looked up. First of three
 * steps, which a batch takes one by one for all its samples. */
void profile_bucket_prefetch_slot(const struct tally_profile *profile,
				  struct tally_gathered *sample);

/* Second step: prefetch the bucket that the slot names, which is likely to be the sample's. */
void profile_bucket_prefetch(const struct tally_profile *profile,
			     const struct tally_gathered *sample);

/* Third step: add the sample to its bucket, which is made if it is the first. 0 or -ENOMEM. */
int profile_bucket_count(struct tally_profile *profile, const struct tally_gathered *sample);

#endif
