/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts addresses to functions, including inlined functions, once all samples have been
 * added. */
#ifndef TALLY_PROFILE_EXPAND_H
#define TALLY_PROFILE_EXPAND_H

#include "profile/profile_private.h"

/* Look up the lines of all exact frames, file by file, and replace each frame with the functions
 * that contain it. Without TALLY_LINES_SELF, a bucket's own frame remains the out-of-line
 * function; it has a line if the profile has TALLY_LINES_ALL. Returns 0 or -ENOMEM. */
int profile_expand(struct tally_profile *profile);

#endif
