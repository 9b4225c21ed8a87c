/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples that come a second time, for the sake of the few whose callers are shown. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "profile/profile_private.h"

int profile_sample_comes(struct tally_profile *profile, uint64_t number)
{
	if (!profile->options.recalls)
		return 1;
	/* More than came before: the file grew meanwhile. */
	if (profile->is_recalling)
		return number / 64 < profile->wanted.len &&
		       tally_bit_is_set(profile->wanted.data, number);
	while (profile->cell_of.len <= number) {
		if (tally_vec_push(&profile->cell_of, TALLY_CELL_NONE))
			return -ENOMEM;
	}
	return 1;
}

/* The bits of the samples that are in marked cells. */
static int samples_want(struct tally_profile *profile)
{
	size_t nr = profile->cell_of.len / 64 + 1;

	if (tally_vec_reserve(&profile->wanted, nr))
		return -ENOMEM;
	memset(profile->wanted.data, 0, nr * sizeof(*profile->wanted.data));
	profile->wanted.len = nr;
	for (size_t i = 0; i < profile->cell_of.len; i++) {
		uint32_t cell = profile->cell_of.data[i];

		if (cell != TALLY_CELL_NONE && profile->marked.data[cell])
			tally_bit_set(profile->wanted.data, i);
	}
	return 0;
}

/* What was in marked cells will come again. They stay, empty: the order of cells is that of rows
 * that are equally heavy. Whether there are any. */
static bool cells_empty(struct tally_profile *profile)
{
	bool any = false;

	for (size_t i = 0; i < profile->cells.len; i++) {
		if (!profile->marked.data[i])
			continue;
		profile->cells.data[i].nr = profile->cells.data[i].period = 0;
		any = true;
	}
	return any;
}

int tally_profile_recall(struct tally_profile *profile, const uint64_t **ret_wanted,
			 uint64_t *ret_nr)
{
	if (!cells_empty(profile))
		return 0;
	profile->callers = calloc(profile->callers_slots, sizeof(*profile->callers));
	if (!profile->callers || samples_want(profile))
		return -ENOMEM;
	profile->options.by |= TALLY_BY_PATH;
	profile->is_recalling = true;
	/* Threads get their numbers as they are met, some of them in samples. */
	*ret_wanted = profile->options.by & TALLY_BY_THREAD || profile->has_unnamed
			      ? NULL
			      : profile->wanted.data;
	*ret_nr = 64 * profile->wanted.len;
	return 1;
}
