/* SPDX-License-Identifier: BSD-2-Clause */
/* The branch stack of a sample, newest branch first. */
#ifndef TALLY_PROFILE_PROCESS_BRANCH_STACK_H
#define TALLY_PROFILE_PROCESS_BRANCH_STACK_H

#include "base/vec.h"
#include "profile/process/feed.h"

/* Return the number of branches. */
static inline uint64_t tally_branches(const struct tally_sample *sample)
{
	return sample->branches.nr / 3;
}

/* Get branch number `i`, which must exist. */
struct perf_branch_entry tally_branch(const struct tally_sample *sample, uint64_t i);

/* Call `each` for each branch of the sample's branch stack, with a copy of the sample: its address
 * is the branch's target, its period is 1. Ends with the first value of `each` that is not 0, and
 * returns it. */
int tally_branches_each(struct tally_machine *machine, const struct tally_feed_sample *sample,
			tally_feed_fn *each, void *arg);

/* A callchain made of branches. A zero-initialised structure is empty. */
struct tally_branch_chain {
	TALLY_VEC(uint64_t) words;
	TALLY_VEC(struct perf_branch_entry) branches;
};

/* Branches that are used, and the length of a repeated sequence of branches that is found. */
enum { TALLY_BRANCH_CHAIN_MAX = 128, TALLY_BRANCH_LOOP_MAX = 16 };

/* Replace the sample's callchain with the instructions that its branch stack shows, newest first:
 * the target and then the source of each branch. Repetitions of a sequence of branches are left
 * out. The recorded callers follow; a caller that is the source of the last branch is left out.
 * Addresses are those of instructions, not return addresses (tally_profile_options.exact_chains).
 * Returns 0 or -ENOMEM. The callchain is in `chain`,
 * and valid until the next call; free `chain` with tally_branch_chain_free(). */
int tally_branch_chain(struct tally_branch_chain *chain, struct tally_machine *machine,
		       struct tally_feed_sample *sample);
void tally_branch_chain_free(struct tally_branch_chain *chain);

/* Look up an address for which a sample has no cpumode: an end of a branch, or data. If it is not
 * mapped in the address space `cpumode` (kernel or user), it is looked up in the other one, because
 * a branch may lead from one to the other. The result is valid until the next look-up. */
const struct tally_location *tally_branch_locate(struct tally_machine *machine,
						 const struct tally_thread *thread, uint8_t cpumode,
						 uint64_t ip);

#endif
