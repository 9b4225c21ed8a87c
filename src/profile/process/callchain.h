/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterate over the addresses of a callchain as recorded, innermost first. */
#ifndef TALLY_PROFILE_PROCESS_CALLCHAIN_H
#define TALLY_PROFILE_PROCESS_CALLCHAIN_H

#include "abi/attr.h"
#include "profile/process/feed.h"

struct tally_callchain {
	struct tally_words words;
	uint64_t at;    /* index of the next word */
	uint64_t nr;    /* addresses so far */
	uint64_t users; /* those in user space */
	uint8_t cpumode;
	bool is_walked; /* callers in user space are return addresses from the stack */
};

struct tally_callchain_address {
	uint64_t ip;
	uint8_t cpumode;
	bool is_return; /* a return address, not that of an instruction that was sampled */
};

/* Start with a sample's callchain. The sample must be valid while the callchain is used. */
static inline struct tally_callchain tally_callchain_start(const struct tally_feed_sample *sample)
{
	return (struct tally_callchain){
		.words = sample->sample.callchain,
		.cpumode = sample->cpumode,
		.is_walked = tally_attr_walks_user(sample->attr),
	};
}

/* Get the next address. Returns false at the end. The rest of a chain after an unknown context
 * marker is invalid and left out. */
static inline bool tally_callchain_next(struct tally_callchain *chain,
					struct tally_callchain_address *ret_address)
{
	while (chain->at < chain->words.nr) {
		uint64_t ip = tally_words_get(chain->words, chain->at++);
		int mode = tally_context_cpumode(ip);
		bool is_return;

		if (mode == -1)
			return false;
		if (mode >= 0) {
			chain->cpumode = (uint8_t)mode;
			continue;
		}
		/* The innermost address in user space is not from the stack. */
		is_return = chain->cpumode == PERF_RECORD_MISC_KERNEL
				    ? chain->nr > 0
				    : chain->is_walked && chain->users++;
		chain->nr++;
		*ret_address = (struct tally_callchain_address){ip, chain->cpumode, is_return};
		return true;
	}
	return false;
}

#endif
