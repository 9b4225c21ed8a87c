/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples that come a second time, for the sake of the few whose callers are shown. */
#include <errno.h>
#include <stdlib.h>

#include "profile/profile_private.h"

int profile_sample_comes(struct tally_profile *profile, uint64_t *ret_sample)
{
	uint64_t number = profile->nr_samples++;
	uint32_t cell;

	*ret_sample = number;
	if (!profile->options.recalls)
		return 1;
	if (!profile->is_recalling)
		return tally_vec_push(&profile->cell_of, TALLY_CELL_NONE) ? -ENOMEM : 1;
	/* More than came before: the file grew meanwhile. */
	if (number >= profile->cell_of.len)
		return 0;
	cell = profile->cell_of.data[number];
	return cell != TALLY_CELL_NONE && profile->marked.data[cell];
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

int tally_profile_recall(struct tally_profile *profile)
{
	if (!cells_empty(profile))
		return 0;
	profile->callers = calloc(profile->callers_slots, sizeof(*profile->callers));
	if (!profile->callers)
		return -ENOMEM;
	profile->options.by |= TALLY_BY_PATH;
	profile->is_recalling = true;
	profile->nr_samples = 0;
	return 1;
}
