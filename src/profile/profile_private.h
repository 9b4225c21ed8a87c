/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a profile share. */
#ifndef TALLY_PROFILE_PROFILE_PRIVATE_H
#define TALLY_PROFILE_PROFILE_PRIVATE_H

#include "base/hash.h"
#include "profile/profile.h"

/* Where an address is remembered. */
static inline struct tally_address *profile_address(struct tally_profile *profile, uint64_t ip,
						    uint64_t space)
{
	return &profile->addresses[tally_hash_u64(ip, space) % TALLY_ADDRESS_SLOTS];
}

/* The frame of an address; the addresses met last are remembered. 0 or -ENOMEM. */
int profile_frame(struct tally_profile *profile, const struct tally_thread *thread, uint8_t cpumode,
		  uint64_t ip, uint32_t *ret_frame);

/* The path of a callchain as recorded: innermost first, with context markers. Its innermost frame
 * and the path of the rest are noted in `add`. 0 or -ENOMEM. */
int profile_chain(struct tally_profile *profile, const struct tally_thread *thread, uint8_t cpumode,
		  struct tally_words chain, struct tally_pending *add);

/* Count a sample, sooner or later. 0 or -ENOMEM. */
int profile_cell_add(struct tally_profile *profile, const struct tally_pending *add);

/* Count what is pending; before cells and paths are looked at. 0 or -ENOMEM. */
int profile_settle(struct tally_profile *profile);

/* Whether a sample in `frame` of `thread` passes the filter. */
bool profile_passes(struct tally_profile *profile, const struct tally_thread *thread,
		    uint32_t frame);

#endif
