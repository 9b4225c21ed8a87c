/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A selection from a profile: some buckets of one event, limited to their samples in a time range.
 * Rows (hist.h), call trees (calltree.h) and searches use selections.
 */
#ifndef TALLY_PROFILE_SELECTION_H
#define TALLY_PROFILE_SELECTION_H

#include "profile/profile_model.h"

struct tally_query;

struct tally_selection_options {
	uint32_t event;
	const uint8_t *passes; /* indexed by bucket: 1 if selected; NULL to select all buckets */
	/* Time range, for a profile that keeps samples: select only samples between two times (in
	 * ns, inclusive) that match the time words of all these queries. */
	bool is_timed;
	uint64_t first, last;
	const struct tally_query *const *queries;
	size_t nr_queries;
	/* Copy the buckets instead of borrowing them, because samples may be added in the
	 * meantime. */
	bool copies;
};

struct tally_selection {
	/* The buckets, each reduced to its selected samples. Empty buckets and buckets of other
	 * events must be ignored. */
	const struct tally_bucket *buckets;
	size_t nr_buckets;
	struct tally_bucket *owned; /* NULL if the buckets belong to the profile */
	uint32_t event;
	uint64_t period, nr; /* sums over the buckets of the selection */
};

/* Return true if a bucket belongs to the selection. */
static inline bool tally_selection_has(const struct tally_selection *selection,
				       const struct tally_bucket *bucket)
{
	return bucket->nr && bucket->key.event == selection->event;
}

/* A distinct callchain and its weight. */
struct tally_chain {
	uint32_t leaf;    /* number of the frame */
	uint32_t callers; /* number of the stack */
	uint64_t period, nr;
};

/* The distinct callchains in a selection, ignoring everything else that distinguishes its buckets,
 * and the function of each frame (functions.h). */
struct tally_chains {
	const struct tally_profile *profile;
	TALLY_VEC(struct tally_chain) all;
	uint32_t *functions; /* indexed by frame: first frame of the same function */
	uint64_t period, nr; /* sums over all chains */
};

/* Return true if a sample with this timestamp satisfies the time restrictions. */
bool tally_selection_includes_time(const struct tally_selection_options *options, uint64_t time);

/* Make a bitmap of the numbers of kept samples, as for tally_session_rerun(). A sample is included
 * if its bucket's entry in `passes` is not 0, and its timestamp satisfies the time restrictions of
 * `options`. Numbers that do not fit into 32 bits share a bit. The caller frees `*ret_bits`.
 * Returns 0 or -ENOMEM. */
int tally_selection_numbers(const struct tally_profile *profile, const uint8_t *passes,
			    const struct tally_selection_options *options, uint64_t **ret_bits,
			    uint64_t *ret_nr);

/* Build a selection. Call this after tally_profile_finish(). The caller frees the selection with
 * tally_selection_free(). Returns 0 or -ENOMEM. */
int tally_selection_build(const struct tally_profile *profile,
			  const struct tally_selection_options *options,
			  struct tally_selection *ret_selection);
void tally_selection_free(struct tally_selection *selection);

/* Collect the callchains of a selection. Without paths, each chain has only one function. The
 * caller frees the result with tally_chains_free(). Returns 0 or -ENOMEM. */
int tally_chains_build(const struct tally_profile *profile, const struct tally_selection *selection,
		       struct tally_chains *ret_chains);
void tally_chains_free(struct tally_chains *chains);

/* Return true if the function of frame `function` is on a bucket's chain. */
bool tally_chains_has(const struct tally_chains *chains, const struct tally_bucket_key *key,
		      uint32_t function);

/* Return the number of functions in a chain, including the innermost function. */
static inline uint32_t tally_chain_length(const struct tally_chains *chains,
					  const struct tally_chain *chain)
{
	return tally_stacks_get(&chains->profile->stacks, chain->callers).nr + 1;
}

/* Return the function at index `at` in a chain. Index 0 is the innermost function. */
static inline uint32_t tally_chain_function(const struct tally_chains *chains,
					    const struct tally_chain *chain, uint32_t at)
{
	uint32_t frame =
		at ? tally_stacks_get(&chains->profile->stacks, chain->callers).frames[at - 1]
		   : chain->leaf;

	return chains->functions[frame];
}

/* Return the function that contains the code of an inlined function: the first function on its
 * callchains that is not inlined. If there are several, return the one in which the inlined
 * function's own samples weigh most, or else the samples with it on their callchain. Returns
 * `function` itself if it is not inlined, and UINT32_MAX if no chain has it. */
uint32_t tally_chains_container(const struct tally_chains *chains, uint32_t function);

/* Return the function that contains the instruction of a bucket's samples: the bucket's function
 * or, if that is inlined, the first function on the callchain that is not. */
uint32_t tally_bucket_container(const struct tally_profile *profile,
				const struct tally_bucket_key *key);

/* Return the index of the outermost occurrence of a frame's function in a chain, or UINT32_MAX if
 * the function is not in the chain. */
uint32_t tally_chain_find(const struct tally_chains *chains, const struct tally_chain *chain,
			  uint32_t function);

#endif
