/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that compare recordings share. */
#ifndef TALLY_PROFILE_DIFF_PRIVATE_H
#define TALLY_PROFILE_DIFF_PRIVATE_H

#include "profile/diff.h"

/* tally_diff_row.seen */
enum { DIFF_SEEN_ITSELF = 1 << 0, DIFF_SEEN_INLINED = 1 << 1 };

/* What rows are told apart by; without holes, as its bytes are a key. */
struct diff_key {
	uint32_t comm, file, symbol, path;
};

/* The row of a key, made if new. 0 or -ENOMEM. */
int diff_row_find(struct tally_diff *diff, const struct diff_key *key, uint32_t *ret_row);

/* Fill `state` and `other` of all rows. 0 or -ENOMEM. */
int diff_find_states(struct tally_diff *diff);

#endif
