/* SPDX-License-Identifier: BSD-2-Clause */
/* The callers of a sample, step by step: each prefetches the memory that the next one needs. */
#ifndef TALLY_PROFILE_CHAIN_H
#define TALLY_PROFILE_CHAIN_H

#include "profile/profile_private.h"

/* The callers of a sample that has some, step by step. Hash them, and prefetch the memory where
 * they are remembered; */
void profile_callers_prefetch(struct tally_profile *profile, struct tally_gathered *to);

/* see which stack they are; if they are new, prefetch the memory where their addresses are; */
void profile_callers_look(struct tally_profile *profile, struct tally_gathered *sample);

/* then find their frames, and prefetch the memory where their stack is. 0 or -ENOMEM; */
int profile_callers_frames(struct tally_profile *profile, struct tally_gathered *sample);

/* and their stack. 0 or -ENOMEM. */
int profile_callers_stack(struct tally_profile *profile, struct tally_gathered *sample);

#endif
