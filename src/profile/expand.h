/* SPDX-License-Identifier: BSD-2-Clause */
/* Conversion of addresses to functions, including inlined ones, after the last sample. */
#ifndef TALLY_PROFILE_EXPAND_H
#define TALLY_PROFILE_EXPAND_H

#include "profile/profile_private.h"

/* Look up the lines of all exact frames, file by file, and replace each frame by the functions that
 * contain it. A bucket's own frame stays a function of the file; it has a line if the profile has
 * TALLY_LINES_ALL. Returns 0 or -ENOMEM. */
int profile_expand(struct tally_profile *profile);

#endif
