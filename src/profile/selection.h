/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of a profile that is looked at: some buckets of one event, and of each what came in a
 * span of time. Rows (hist.h), call trees (calltree.h) and searches are made of a selection.
 */
#ifndef TALLY_PROFILE_SELECTION_H
#define TALLY_PROFILE_SELECTION_H

#include "profile/profile.h"

struct tally_query;

struct tally_selection_options {
	uint32_t event;
	const uint8_t *passes; /* by bucket: whether it is looked at; NULL: all are */
	/* Of a profile that keeps samples: only those between two times (ns, inclusive), and those
	 * whose times all of these queries take. */
	bool is_timed;
	uint64_t first, last;
	const struct tally_query *const *queries;
	size_t nr_queries;
	bool copies; /* the profile's own buckets are not borrowed: more samples come meanwhile */
};

struct tally_selection {
	/* With what of them is selected; those of other events and empty ones do not count. */
	const struct tally_bucket *buckets;
	size_t nr_buckets;
	struct tally_bucket *owned; /* NULL: they are the profile's own */
	uint32_t event;
	uint64_t period, nr; /* sums of those that count */
};

/* Whether a bucket counts. */
static inline bool tally_selection_has(const struct tally_selection *selection,
				       const struct tally_bucket *bucket)
{
	return bucket->nr && bucket->key.event == selection->event;
}

/* A callchain that was met, and what it counts for. */
struct tally_chain {
	uint32_t leaf;    /* frame */
	uint32_t callers; /* stack */
	uint64_t period, nr;
};

/* The callchains of a selection, each once, whatever else tells its buckets apart; and which frames
 * are one function (functions.h). */
struct tally_chains {
	const struct tally_profile *profile;
	TALLY_VEC(struct tally_chain) all;
	uint32_t *functions; /* by frame: the first frame of the same function */
	uint64_t period, nr; /* sums */
};

/* Whether a sample of this time is looked at, as far as that is a matter of times. */
bool tally_selection_takes_time(const struct tally_selection_options *options, uint64_t time);

/* After tally_profile_finish(). 0 or -ENOMEM; free it with tally_selection_free(). */
int tally_selection_make(const struct tally_profile *profile,
			 const struct tally_selection_options *options,
			 struct tally_selection *ret_selection);
void tally_selection_free(struct tally_selection *selection);

/* The callchains of a selection; chains of a profile without paths are of one function. 0 or
 * -ENOMEM; free them with tally_chains_free(). */
int tally_chains_make(const struct tally_profile *profile, const struct tally_selection *selection,
		      struct tally_chains *ret_chains);
void tally_chains_free(struct tally_chains *chains);

/* Whether a function, of which this is a frame, is on the chain of a bucket. */
bool tally_chains_has(const struct tally_chains *chains, const struct tally_bucket_key *key,
		      uint32_t function);

/* How many functions a chain has, the innermost one included. */
static inline uint32_t tally_chain_length(const struct tally_chains *chains,
					  const struct tally_chain *chain)
{
	return tally_stacks_get(&chains->profile->stacks, chain->callers).nr + 1;
}

/* The function at a place of a chain, 0 being the innermost one. */
static inline uint32_t tally_chain_function(const struct tally_chains *chains,
					    const struct tally_chain *chain, uint32_t at)
{
	uint32_t frame =
		at ? tally_stacks_get(&chains->profile->stacks, chain->callers).frames[at - 1]
		   : chain->leaf;

	return chains->functions[frame];
}

/* Of a place in a chain: the outermost one of a frame's function; UINT32_MAX: it is not on the
 * chain. */
uint32_t tally_chain_find(const struct tally_chains *chains, const struct tally_chain *chain,
			  uint32_t function);

#endif
