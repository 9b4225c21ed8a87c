/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the second pass over the samples, in which callers are looked up only for the few
 * samples that need them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "profile/profile_private.h"

bool profile_sample_is_wanted(const struct tally_profile *profile, uint64_t number)
{
	/* Sample numbers may be higher than in the first pass if the file has grown since. */
	return !profile->in_second_pass || (number / 64 < profile->wanted.len &&
					    tally_bit_is_set(profile->wanted.data, number));
}

/* Build the bitmap of samples in marked buckets. */
static int mark_wanted_samples(struct tally_profile *profile)
{
	size_t nr = profile->bucket_of.len / 64 + 1;

	if (tally_vec_reserve(&profile->wanted, nr))
		return -ENOMEM;
	memset(profile->wanted.data, 0, nr * sizeof(*profile->wanted.data));
	profile->wanted.len = nr;
	for (size_t i = 0; i < profile->bucket_of.len; i++) {
		uint32_t bucket = profile->bucket_of.data[i];

		if (bucket != TALLY_BUCKET_NONE && profile->marked.data[bucket])
			tally_bit_set(profile->wanted.data, i);
	}
	return 0;
}

/* Empty the marked buckets, because their samples will be added again. The buckets stay in the
 * list, because their order breaks ties between rows of equal weight. Return true if any bucket is
 * marked. */
static bool empty_marked_buckets(struct tally_profile *profile)
{
	bool any = false;

	for (size_t i = 0; i < profile->buckets.len; i++) {
		if (!profile->marked.data[i])
			continue;
		profile->buckets.data[i].nr = profile->buckets.data[i].period = 0;
		any = true;
	}
	return any;
}

int tally_profile_second_pass(struct tally_profile *profile, const uint64_t **ret_wanted,
			      uint64_t *ret_nr)
{
	int ret = tally_profile_flush(profile);

	if (ret)
		return ret;
	if (!empty_marked_buckets(profile))
		return 0;
	profile->callers = calloc(profile->callers_slots, sizeof(*profile->callers));
	if (!profile->callers || mark_wanted_samples(profile))
		return -ENOMEM;
	profile->options.by |= TALLY_BY_PATH;
	profile->in_second_pass = true;
	/* All samples are needed if threads matter, because threads are numbered in order of
	 * appearance. */
	*ret_wanted = profile->options.by & TALLY_BY_THREAD || profile->has_unnamed
			      ? NULL
			      : profile->wanted.data;
	*ret_nr = 64 * profile->wanted.len;
	return 1;
}
