/* SPDX-License-Identifier: BSD-2-Clause */
/* Internals shared by the source files that compare recordings. */
#ifndef TALLY_PROFILE_DIFF_DIFF_PRIVATE_H
#define TALLY_PROFILE_DIFF_DIFF_PRIVATE_H

#include "profile/diff/profile_diff.h"

/* Bits in tally_diff_row.seen. */
enum { DIFF_SEEN_OUT_OF_LINE = 1 << 0, DIFF_SEEN_INLINED = 1 << 1 };

/* Key of a row, without padding because its bytes are hashed. */
struct diff_key {
	uint32_t comm, file, symbol, variant, path;
};

/* The names of a frame: IDs in tally_diff.names. */
struct diff_function {
	uint32_t file, symbol;
	uint32_t variant; /* the name with parameters, or `symbol` if these are not known */
	uint32_t row; /* index + 1 of its row if rows do not depend on comms; 0 if not known yet */
	bool is_inlined;
};

/* Return the names of all frames, indexed by frame; the caller frees them. Returns 0 or -ENOMEM. */
int diff_functions_make(struct tally_diff *diff, struct tally_profile *profile,
			struct diff_function **ret_functions);

/* Join the rows of a function if its parameters changed or are not always known. Returns 0 or
 * -ENOMEM. */
int diff_join_variants(struct tally_diff *diff);

/* Return true if a function was seen only on this side. */
static inline bool diff_is_only_on(const struct tally_diff_row *row, int side)
{
	return row->seen[side] && !row->seen[!side];
}

/* Find the row with this key, or create it. Returns 0 or -ENOMEM. */
int diff_row_find(struct tally_diff *diff, const struct diff_key *key, uint32_t *ret_row);

/* Set `state` and `other` in all rows. Returns 0 or -ENOMEM. */
int diff_find_states(struct tally_diff *diff);

/* Make the short names of all functions. Returns 0 or -ENOMEM. */
int diff_make_short_names(struct tally_diff *diff);

#endif
