/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a profile share. */
#ifndef TALLY_PROFILE_PROFILE_PRIVATE_H
#define TALLY_PROFILE_PROFILE_PRIVATE_H

#include "profile/profile.h"

/* The path of a callchain as recorded: innermost first, with context markers. 0 or -ENOMEM. */
int profile_chain(struct tally_profile *profile, const struct tally_thread *thread, uint8_t cpumode,
		  struct tally_words chain, uint32_t *ret_path);

/* Whether a sample in `frame` of `thread` passes the filter. */
bool profile_passes(struct tally_profile *profile, const struct tally_thread *thread,
		    uint32_t frame);

#endif
