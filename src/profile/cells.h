/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting samples in buckets. */
#ifndef TALLY_PROFILE_CELLS_H
#define TALLY_PROFILE_CELLS_H

#include "profile/profile_private.h"

/* The buckets are other ones: find them by the keys that they have now. 0 or -ENOMEM. */
int profile_buckets_index(struct tally_profile *profile);

/* A sample whose key is whole, step by step. Prefetch the memory where its bucket is looked up, */
void profile_bucket_prefetch_slot(const struct tally_profile *profile,
				  struct tally_gathered *sample);

/* then for the bucket that it is likely to be, */
void profile_bucket_prefetch(const struct tally_profile *profile,
			     const struct tally_gathered *sample);

/* and count it. 0 or -ENOMEM. */
int profile_bucket_count(struct tally_profile *profile, const struct tally_gathered *sample);

#endif
