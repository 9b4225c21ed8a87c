/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch stack of a sample, newest branch first. */
#ifndef TALLY_PROFILE_PROCESS_BRANCH_STACK_H
#define TALLY_PROFILE_PROCESS_BRANCH_STACK_H

#include "profile/process/feed.h"

/* Return the number of branches. */
static inline uint64_t tally_branches(const struct tally_sample *sample)
{
	return sample->branches.nr / 3;
}

/* Get branch number `i`, which must exist. */
struct perf_branch_entry tally_branch(const struct tally_sample *sample, uint64_t i);

/* Look up an address for which a sample has no cpumode: an end of a branch, or data. If it is not
 * mapped in the address space `cpumode` (kernel or user), it is looked up in the other one, because
 * a branch may lead from one to the other. The result is valid until the next look-up. */
const struct tally_location *tally_branch_locate(struct tally_machine *machine,
						 const struct tally_thread *thread, uint8_t cpumode,
						 uint64_t ip);

#endif
