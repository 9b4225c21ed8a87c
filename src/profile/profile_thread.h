/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread that resolves a profile's samples. Without it, a batch is resolved when it is full.
 * With it, full batches wait in a ring, and the thread resolves them in order, so that the profile
 * is the same. The thread uses the profile and the symbols; the thread that adds samples uses the
 * machine. tally_machine_set_guard() makes it wait before it changes what both use.
 */
#ifndef TALLY_PROFILE_PROFILE_THREAD_H
#define TALLY_PROFILE_PROFILE_THREAD_H

#include "profile/profile_model.h"

/* Start the thread, if possible. Without it, nothing but speed is lost. */
void profile_thread_start(struct tally_profile *profile);

/* Resolve the gathered samples, or hand them over to the thread. Returns 0, or -ENOMEM from this or
 * an earlier batch. */
int profile_thread_hand_over(struct tally_profile *profile);

/* Wait until all batches that were handed over are resolved. Returns 0 or -ENOMEM. */
int profile_thread_wait(const struct tally_profile *profile);

/* Do the same, and end the thread. Further batches are resolved at once. */
int profile_thread_stop(struct tally_profile *profile);

void profile_thread_free(struct tally_profile *profile);

#endif
