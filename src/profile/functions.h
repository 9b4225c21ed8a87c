/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps frames to functions, for all code that draws, counts or writes functions. Frames with the
 * same symbol are one function, even if other symbols have the same name. Code without a symbol is
 * one function in each file. */
#ifndef TALLY_PROFILE_FUNCTIONS_H
#define TALLY_PROFILE_FUNCTIONS_H

#include "profile/profile_model.h"

/* Return a number that is the same for all frames of a function. A symbol belongs to a single file,
 * and the addresses of symbols and DSOs are distinct. */
static inline uint64_t tally_frame_function(const struct tally_frame *frame)
{
	return frame->symbol ? (uintptr_t)frame->symbol : (uintptr_t)frame->dso;
}

/* Map each frame of a profile to the first frame of the same function. Returns 0 or -ENOMEM; the
 * caller frees `*ret_functions`. */
int tally_functions_build(const struct tally_profile *profile, uint32_t **ret_functions);

#endif
