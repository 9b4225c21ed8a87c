/* SPDX-License-Identifier: BSD-2-Clause */
/* Which frames are one function, for all that draws, counts or writes functions: those of one
 * symbol, whatever else is called so; code without a name is one function in each file. */
#ifndef TALLY_PROFILE_FUNCTIONS_H
#define TALLY_PROFILE_FUNCTIONS_H

#include "profile/profile.h"

/* The same number for frames of the same function. A symbol is of one file only, and neither it nor
 * a file is at the address of another one. */
static inline uint64_t tally_frame_function(const struct tally_frame *frame)
{
	return frame->symbol ? (uintptr_t)frame->symbol : (uintptr_t)frame->dso;
}

/* By frame of a profile: the first frame of the same function. 0 or -ENOMEM; the caller frees
 * `*ret_functions`. */
int tally_functions_make(const struct tally_profile *profile, uint32_t **ret_functions);

#endif
