/* SPDX-License-Identifier: BSD-2-Clause */
/* From addresses to functions, inlined ones too, once all samples have come. */
#ifndef TALLY_PROFILE_EXPAND_H
#define TALLY_PROFILE_EXPAND_H

#include "profile/profile_private.h"

/* Ask for the lines of all exact frames, file by file, and put in place of each the functions that
 * it is in; a bucket's own frame stays a function of the file, with its line if all lines are
 * wanted. 0 or -ENOMEM. */
int profile_expand(struct tally_profile *profile);

#endif
