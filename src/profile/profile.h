/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregated samples. Each sample is counted in a bucket for its combination of event, comm,
 * thread, CPU, function and call path, as far as these are to be distinguished. A bucket has the
 * number of its samples and the sum of their periods. Memory grows with the number of buckets, not
 * of samples.
 */
#ifndef TALLY_PROFILE_PROFILE_H
#define TALLY_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/callers.h"
#include "profile/profile_frames.h"
#include "profile/machine.h"
#include "profile/stacks.h"

#define TALLY_BUCKET_NONE UINT32_MAX

/* Fields by which buckets are distinguished. */
enum {
	TALLY_BY_COMM = 1 << 0,
	TALLY_BY_THREAD = 1 << 1,
	TALLY_BY_CPU = 1 << 2,
	TALLY_BY_FRAME = 1 << 3,
	TALLY_BY_PATH = 1 << 4,
	TALLY_BY_LABEL = 1 << 5,
};

/* Filter. A sample passes if it matches one string of every list that is not NULL. */
struct tally_profile_filter {
	const char *const *comms, *const *dsos, *const *symbols; /* NULL-terminated, or NULL */
	const char *symbol_part; /* substring of the innermost symbol's name; NULL: any */
	const char *const *idle; /* kernel functions that do not pass; or NULL */
};

/* Use of the source lines of addresses. */
enum {
	TALLY_LINES_INLINED = 1 << 0, /* inlined functions are frames of callchains */
	TALLY_LINES_ALL = 1 << 1,     /* frames of different lines are different frames */
};

struct tally_profile_options {
	unsigned by;        /* TALLY_BY_* */
	unsigned lines;     /* TALLY_LINES_*; not for a live profile */
	uint32_t max_stack; /* maximum frames of a callchain; 0: 127, perf's limit */
	bool is_live;       /* rows are made while samples still arrive; caches are small */
	bool second_pass;   /* samples are added twice: see tally_profile_second_pass(); not with
	                     * TALLY_BY_PATH */
	bool keeps_samples; /* keep the time and the bucket of each sample in `kept`; not for a live
	                     * profile */
	struct tally_profile_filter filter; /* its strings must outlive the profile */
};

struct tally_bucket_key {
	uint32_t event, comm, thread, cpu, frame; /* 0 if not distinguished */
	uint32_t leaf;    /* with paths: innermost frame of the callchain, + 1; 0: none */
	uint32_t callers; /* number of the stack of its callers */
	uint32_t label;
};

/* Return the innermost frame: that of the callchain if there is one. */
static inline uint32_t tally_bucket_leaf(const struct tally_bucket_key *key)
{
	return key->leaf ? key->leaf - 1 : key->frame;
}

struct tally_bucket {
	struct tally_bucket_key key;
	uint64_t nr, period;
};

/* A kept sample: its time, its weight and its bucket. */
struct tally_kept {
	uint64_t time; /* 0: not recorded */
	uint32_t bucket;
	uint32_t weight; /* UINT32_MAX: see tally_kept_weight() */
	uint32_t number; /* number it was added with, to read it again; UINT32_MAX: does not fit */
} __attribute__((packed, aligned(4)));

enum { TALLY_BATCH = 32 };

/* Validation result of an address found on a stack. */
enum tally_caller {
	TALLY_CALLER_UNKNOWN, /* not validated */
	TALLY_CALLER_VALID,   /* a return can lead there */
	TALLY_CALLER_INVALID, /* no return can lead there: its frame is TALLY_CUT */
};

/* A recently looked up address, by location key. */
struct tally_address {
	uint64_t location_key;
	uint32_t frame : 30;    /* + 1; 0: empty */
	uint32_t caller : 2;    /* enum tally_caller */
	uint32_t kernel : 31;   /* batch.kernel_number at that time */
	uint32_t is_caller : 1; /* looked up as a caller */
};

/* See chain.c. */
struct tally_callers_hash {
	uint64_t mix, sum;
};

/* Recently looked up callers, by hash. */
struct tally_callers {
	uint64_t mix;
	uint32_t sum : 31;
	uint32_t is_astray : 1;
	uint32_t stack; /* 0: empty */
};

/* A sample as it was added. Its location keys are, in this order, those of the sample's address, of
 * the chain's innermost entry, and of the callers. */
struct tally_gathered {
	struct tally_bucket_key key; /* at first without the fields that depend on location keys */
	uint32_t key_hash;           /* valid once the key is complete */
	uint32_t comm;
	uint64_t weight, time;
	uint64_t number;
	uint32_t first, callers, end; /* indices of the batch's location keys */
	uint32_t returns;             /* the same: the keys from here on are return addresses */
	bool has_chain, has_leaf;
	bool is_bad, is_cut, leaf_only;
	enum tally_callers_from callers_from;
	/* Set while the batch is resolved. */
	bool has_callers;
	bool passes;    /* passes the filter */
	bool is_astray; /* the chain of callers is broken */
	bool is_new;    /* the callers are not in the cache, and the fields below are set: */
	uint32_t frames, nr_frames, frames_hash; /* in the batch's frames */
	struct tally_callers_hash hash; /* of the callers' location keys, if there are callers */
};

struct tally_batch {
	struct tally_gathered samples[TALLY_BATCH];
	size_t nr;
	TALLY_VEC(uint64_t) location_keys;
	TALLY_VEC(uint32_t) frames; /* of callers that are not in the cache */
	struct tally_maps *kernel;  /* maps with which location keys are resolved */
	uint32_t kernel_number;     /* number of these maps and of the symbols' generation; cached
	                             * results with another number are stale */
	uint64_t generation;        /* of the symbols */
};

/* Sums of one event over all samples, and over those that passed the filter. */
struct tally_profile_total {
	uint64_t nr, period;
	uint64_t nr_shown, period_shown;
};

struct tally_profile_stats {
	uint64_t chains;     /* samples with a callchain */
	uint64_t cut_chains; /* chains truncated at max_stack */
	uint64_t leaf_only;  /* user chains that end after their first frame */
	uint64_t bad_chains; /* dropped because of an unknown context marker */
	/* Of samples with callers that were looked up; with a second pass, in that pass only: */
	uint64_t judged; /* chains that were validated */
	uint64_t astray; /* chains that were broken, and end there */
};

struct tally_profile {
	struct tally_machine *machine;
	struct tally_profile_options options;
	struct tally_frames frames;
	struct tally_stacks stacks;
	TALLY_VEC(struct tally_bucket) buckets;
	struct tally_slots slots; /* index of the buckets */
	/* Properties of the samples that are added next: */
	uint32_t label; /* a number assigned by the caller */
	enum tally_callers_from callers_from;
	struct tally_batch batch;
	struct tally_address *addresses;              /* direct-mapped */
	struct tally_callers *callers;                /* direct-mapped */
	size_t address_slots, callers_slots;          /* powers of two */
	uint64_t nr_missed;                           /* look-ups that missed these caches */
	TALLY_VEC(struct tally_profile_total) totals; /* by event, up to the highest one seen */
	TALLY_VEC(uint8_t) frame_verdicts;            /* cached results of the filter */
	TALLY_VEC(struct tally_kept) kept;            /* samples in the order they were added */
	struct tally_map heavy; /* weights of the heaviest ones, by index in `kept` */
	struct tally_profile_stats stats;
	/* Used only with a second pass. */
	TALLY_VEC(uint32_t) bucket_of; /* by sample number; TALLY_BUCKET_NONE: none */
	TALLY_VEC(uint8_t) marked;     /* by bucket number: its callchains are needed */
	TALLY_VEC(uint64_t) wanted;    /* bitmap of the samples in these buckets, by number */
	bool in_second_pass;
	bool in_callers;   /* callers are being looked up */
	bool has_unnamed;  /* there are buckets of unnamed threads */
	size_t nr_dropped; /* buckets dropped since the last garbage collection */
	size_t nr_dsos;    /* number after the last garbage collection */
};

/* Return the weight of a kept sample. */
static inline uint64_t tally_kept_weight(const struct tally_profile *profile,
					 const struct tally_kept *kept)
{
	if (kept->weight < UINT32_MAX)
		return kept->weight;
	return tally_map_get(&profile->heavy, (uint64_t)(kept - profile->kept.data));
}

/* Initialize a profile. `machine` must outlive it. Returns 0 or -ENOMEM. */
int tally_profile_init(struct tally_profile *profile, struct tally_machine *machine,
		       const struct tally_profile_options *options);
void tally_profile_free(struct tally_profile *profile);

/* Count the samples that are still in the batch. Returns 0 or -ENOMEM. */
int tally_profile_flush(struct tally_profile *profile);

/* Begin the second pass of a profile that has one. The same samples are then added again, after the
 * machine was restarted (tally_machine_restart()). Samples of marked buckets are now also
 * distinguished by path. Others were already counted; they are skipped, and need not be added. This
 * saves looking up the callers of most samples, because most rows are too light for a graph.
 * Returns 1 and a bitmap of the samples needed (see tally_perfdata_select()), valid until
 * tally_profile_finish(), NULL if all must be added; 0 if no bucket is marked and no second pass is
 * needed; or -ENOMEM. */
int tally_profile_second_pass(struct tally_profile *profile, const uint64_t **ret_wanted,
			      uint64_t *ret_nr);

/* Count the samples that are still in the batch, before totals, buckets and stacks are read. Unless
 * the profile is live, no more samples may be added, and everything needed only for that is freed.
 * Returns 0 or -ENOMEM. */
int tally_profile_finish(struct tally_profile *profile);

/* Decay all counts of a live profile: seven eighths of each bucket and total remain, and buckets
 * with less than about a millionth of their event are dropped. Returns 0 or -ENOMEM. */
int tally_profile_decay(struct tally_profile *profile);

/* Reset all counts. */
void tally_profile_zero(struct tally_profile *profile);

/* Free unused memory of a live profile, if there is much of it: frames, stacks and names that no
 * bucket has, threads marked by tally_machine_expire(), and unmapped files. Frames, stacks, comms
 * and threads are renumbered. `nr_gone` is the return value of tally_machine_expire(). Returns 0 or
 * -ENOMEM. */
int tally_profile_collect(struct tally_profile *profile, size_t nr_gone);

/* Add one sample of event number `event`. `cpumode` is that of the record, `weight` usually the
 * period; `number` identifies the sample in the second pass. Returns 0 or -ENOMEM. */
int tally_profile_add(struct tally_profile *profile, uint32_t event,
		      const struct tally_thread *thread, uint8_t cpumode,
		      const struct tally_sample *sample, uint64_t weight, uint64_t number);

#endif
