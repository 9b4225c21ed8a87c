/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting samples in cells. */
#ifndef TALLY_PROFILE_CELLS_H
#define TALLY_PROFILE_CELLS_H

#include "profile/profile_private.h"

/* The cells are other ones: find them by the keys that they have now. 0 or -ENOMEM. */
int profile_cells_index(struct tally_profile *profile);

/* A sample whose key is whole, step by step. Ask for the memory where its cell is looked up, */
void profile_cell_fetch_slot(const struct tally_profile *profile, struct tally_gathered *sample);

/* then for the cell that it is likely to be, */
void profile_cell_fetch(const struct tally_profile *profile, const struct tally_gathered *sample);

/* and count it. 0 or -ENOMEM. */
int profile_cell_count(struct tally_profile *profile, const struct tally_gathered *sample);

#endif
