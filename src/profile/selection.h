/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A selection of a profile: some buckets of one event, and of these the samples in a range of time.
 * Rows (hist.h), call trees (calltree.h) and searches use selections.
 */
#ifndef TALLY_PROFILE_SELECTION_H
#define TALLY_PROFILE_SELECTION_H

#include "profile/profile.h"

struct tally_query;

struct tally_selection_options {
	uint32_t event;
	const uint8_t *passes; /* by bucket: 1 if it is selected; NULL: all are */
	/* Of a profile that keeps samples: only those between two times (ns, inclusive) that match
	 * the time words of all these queries. */
	bool is_timed;
	uint64_t first, last;
	const struct tally_query *const *queries;
	size_t nr_queries;
	bool copies; /* copy the buckets instead of borrowing them, because samples are added
	              * meanwhile */
};

struct tally_selection {
	/* Buckets with the part of them that is selected. Buckets of other events and empty ones do
	 * not count. */
	const struct tally_bucket *buckets;
	size_t nr_buckets;
	struct tally_bucket *owned; /* NULL: the buckets are the profile's own */
	uint32_t event;
	uint64_t period, nr; /* sums over the buckets that count */
};

/* Return true if a bucket counts. */
static inline bool tally_selection_has(const struct tally_selection *selection,
				       const struct tally_bucket *bucket)
{
	return bucket->nr && bucket->key.event == selection->event;
}

/* A distinct callchain and its weight. */
struct tally_chain {
	uint32_t leaf;    /* frame */
	uint32_t callers; /* stack */
	uint64_t period, nr;
};

/* The distinct callchains of a selection, whatever else distinguishes its buckets, and the
 * functions of their frames (functions.h). */
struct tally_chains {
	const struct tally_profile *profile;
	TALLY_VEC(struct tally_chain) all;
	uint32_t *functions; /* by frame: the first frame of the same function */
	uint64_t period, nr; /* sums */
};

/* Return true if the time restrictions include a sample at this time. */
bool tally_selection_includes_time(const struct tally_selection_options *options, uint64_t time);

/* Make a selection, after tally_profile_finish(). Returns 0 or -ENOMEM; free it with
 * tally_selection_free(). */
int tally_selection_build(const struct tally_profile *profile,
			  const struct tally_selection_options *options,
			  struct tally_selection *ret_selection);
void tally_selection_free(struct tally_selection *selection);

/* Collect the callchains of a selection. Without paths each chain has only one function. Returns 0
 * or -ENOMEM; free them with tally_chains_free(). */
int tally_chains_build(const struct tally_profile *profile, const struct tally_selection *selection,
		       struct tally_chains *ret_chains);
void tally_chains_free(struct tally_chains *chains);

/* Return true if the function of frame number `function` is on the chain of a bucket. */
bool tally_chains_has(const struct tally_chains *chains, const struct tally_bucket_key *key,
		      uint32_t function);

/* Return the number of functions in a chain, including the innermost one. */
static inline uint32_t tally_chain_length(const struct tally_chains *chains,
					  const struct tally_chain *chain)
{
	return tally_stacks_get(&chains->profile->stacks, chain->callers).nr + 1;
}

/* Return the function at index `at` of a chain; 0 is the innermost one. */
static inline uint32_t tally_chain_function(const struct tally_chains *chains,
					    const struct tally_chain *chain, uint32_t at)
{
	uint32_t frame =
		at ? tally_stacks_get(&chains->profile->stacks, chain->callers).frames[at - 1]
		   : chain->leaf;

	return chains->functions[frame];
}

/* Return the index of the outermost occurrence of a frame's function in a chain; UINT32_MAX if it
 * is not in the chain. */
uint32_t tally_chain_find(const struct tally_chains *chains, const struct tally_chain *chain,
			  uint32_t function);

#endif
