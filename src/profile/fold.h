/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folds functions into their callers: a function that is folded has no cost of its own, and its
 * caller gets its samples. The profile's samples are not changed, only those of a selection.
 */
#ifndef TALLY_PROFILE_FOLD_H
#define TALLY_PROFILE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/selection.h"

enum {
	TALLY_FOLD_INLINED = 1 << 0, /* inlined functions, into those that contain them */
	/* "Just my code": functions that are not part of the program (tally_frame_is_foreign()). A
	 * callchain without any other function keeps its outermost function. */
	TALLY_FOLD_FOREIGN = 1 << 1,
};

/* Functions to fold; none if all members are 0. */
struct tally_fold {
	unsigned what;             /* TALLY_FOLD_* */
	const uint64_t *functions; /* further functions, by tally_frame_function() */
	size_t nr_functions;
};

static inline bool tally_fold_is_any(const struct tally_fold *fold)
{
	return fold->what || fold->nr_functions;
}

/* Fold functions in a selection of a profile that is not live. Frames and stacks may be added to
 * the profile, so tally_chains of other selections must be built again. Returns 0, or -ENOMEM with
 * the selection unchanged. */
int tally_selection_fold(struct tally_profile *profile, const struct tally_fold *fold,
			 struct tally_selection *selection);

/* Fold functions in all samples of a finished profile, for good. Selections must be built
 * afterwards. Returns 0, or -ENOMEM with a part of the samples folded. */
int tally_profile_fold(struct tally_profile *profile, const struct tally_fold *fold);

#endif
