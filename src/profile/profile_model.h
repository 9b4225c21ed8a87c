/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Aggregated samples. Each sample is counted in a bucket, which is identified by event, comm,
 * thread, CPU, function and call path, or the subset of these that the profile distinguishes. A
 * bucket contains the number of its samples and the sum of their periods. Memory use grows with the
 * number of buckets, not samples.
 */
#ifndef TALLY_PROFILE_PROFILE_MODEL_H
#define TALLY_PROFILE_PROFILE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/abi_sample.h"
#include "base/map.h"
#include "base/relay.h"
#include "base/vec.h"
#include "profile/callers.h"
#include "profile/process/feed.h"
#include "profile/profile_frames.h"
#include "profile/process/machine.h"
#include "profile/stacks.h"

#define TALLY_BUCKET_NONE UINT32_MAX

/* Fields that distinguish buckets. */
enum {
	TALLY_BY_COMM = 1 << 0,
	TALLY_BY_THREAD = 1 << 1,
	TALLY_BY_CPU = 1 << 2,
	TALLY_BY_FRAME = 1 << 3,
	TALLY_BY_PATH = 1 << 4,
	TALLY_BY_LABEL = 1 << 5,
};

/* Filter. A sample passes if, for every list that is not NULL, it matches one of the strings. */
struct tally_profile_filter {
	const char *const *comms, *const *dsos, *const *symbols; /* NULL-terminated, or NULL */
	bool named_only;         /* only samples in functions with a name */
	const char *symbol_part; /* substring of the innermost symbol's name; NULL for any */
	const char *const *idle; /* kernel functions that do not pass, or NULL */
};

/* Uses of source line information. */
enum {
	TALLY_LINES_INLINED = 1 << 0, /* inlined functions are frames of callchains */
	TALLY_LINES_ALL = 1 << 1,     /* frames are distinguished by line */
	/* A sample's own function is its innermost inlined function. In perf, it is the function
	 * that contains it. */
	TALLY_LINES_SELF = 1 << 2,
	/* A sample's own frame is distinguished by line, callers are not. */
	TALLY_LINES_OWN = 1 << 3,
	/* Inlined functions are functions everywhere. */
	TALLY_LINES_APART = TALLY_LINES_INLINED | TALLY_LINES_SELF,
};

struct tally_profile_options {
	unsigned by;        /* TALLY_BY_* */
	unsigned lines;     /* TALLY_LINES_*; not for a live profile */
	uint32_t max_stack; /* maximum number of frames in a callchain; 0 for perf's limit, 127 */
	bool raw_chains;    /* keep callers as recorded, without validating return addresses */
	/* All addresses of callchains are those of instructions, not return addresses. */
	bool exact_chains;
	bool is_absolute; /* of a live profile: 100 % includes samples that do not pass the filter */
	bool is_live;     /* rows are built while samples are arriving; caches are small */
	/* Samples are added twice: see tally_profile_second_pass(). Must not be combined with
	 * TALLY_BY_PATH. */
	bool second_pass;
	/* Resolve samples in another thread, while further samples are added. Not for a live
	 * profile. Between tally_profile_add() and tally_profile_finish(), only the machine's
	 * records may be used, not its symbols. */
	bool is_split;
	/* Keep the timestamp and bucket of each sample in `kept`. Not for a live profile. */
	bool keeps_samples;
	bool whole_names;                   /* names are not shortened, see short_names.h */
	struct tally_profile_filter filter; /* its strings must outlive the profile */
};

struct tally_bucket_key {
	uint32_t event, comm, thread, cpu, frame; /* 0 if not distinguished */
	uint32_t leaf;    /* innermost frame of the callchain + 1, or 0 if there is none */
	uint32_t callers; /* stack number of the callers */
	uint32_t label;
};

/* Return the innermost frame: the callchain's if there is a callchain, otherwise the sample's. */
static inline uint32_t tally_bucket_leaf(const struct tally_bucket_key *key)
{
	return key->leaf ? key->leaf - 1 : key->frame;
}

struct tally_bucket {
	struct tally_bucket_key key;
	uint64_t nr, period;
};

/* A kept sample: its timestamp, its weight and its bucket. */
struct tally_kept {
	uint64_t time; /* 0 if not recorded */
	uint32_t bucket;
	uint32_t weight; /* UINT32_MAX if larger: see tally_kept_weight() */
	uint32_t number; /* sample number, for rereading; UINT32_MAX if too large */
} __attribute__((packed, aligned(4)));

enum { TALLY_BATCH = 32 };

/* Result of validating an address found on a stack. */
enum tally_caller {
	TALLY_CALLER_UNKNOWN, /* not validated */
	TALLY_CALLER_VALID,   /* is a possible return address */
	TALLY_CALLER_INVALID, /* is not a possible return address; its frame is TALLY_CUT */
};

/* Cache entry for a recently looked-up address, by location key. */
struct tally_address {
	uint64_t location_key;
	uint32_t frame : 30;    /* number of the frame + 1; 0 if empty */
	uint32_t caller : 2;    /* enum tally_caller */
	uint32_t kernel : 31;   /* batch.kernel_number at the time of the look-up */
	uint32_t is_caller : 1; /* looked up as a caller */
};

/* Hash of a sample's callers; see chain.c. */
struct tally_callers_hash {
	uint64_t mix, sum;
};

/* Cache entry for recently looked-up callers, by hash. */
struct tally_callers {
	uint64_t mix;
	uint32_t sum : 31;
	uint32_t is_astray : 1;
	uint32_t stack; /* 0 if empty */
};

/* A sample as it was added. Its location keys are, in this order, those of the sample's address,
 * the chain's innermost entry, and the callers. */
struct tally_gathered {
	struct tally_bucket_key key; /* initially lacks the fields that depend on location keys */
	uint32_t key_hash;           /* valid once the key is complete */
	uint32_t comm;
	uint64_t weight, time;
	uint64_t number;
	uint32_t first, callers, end; /* indexes in the batch's location keys */
	uint32_t returns;             /* index of the first key that is a return address */
	bool has_chain, has_leaf;
	bool is_bad, is_cut, leaf_only;
	enum tally_callers_from callers_from;
	/* The fields below are set while the batch is resolved. */
	bool has_callers;
	bool passes;    /* passes the filter */
	bool is_astray; /* the chain of callers is broken */
	bool is_new;    /* callers are not in the cache; the fields below are set: */
	uint32_t frames, nr_frames, frames_hash; /* range in the batch's frames */
	struct tally_callers_hash hash; /* hash of the callers' location keys, if there are any */
};

struct tally_batch {
	struct tally_gathered samples[TALLY_BATCH];
	size_t nr;
	TALLY_VEC(uint64_t) location_keys;
	TALLY_VEC(uint32_t) frames; /* frames of callers that are not in the cache */
	struct tally_maps *kernel;  /* maps used to resolve location keys; borrowed */
	uint32_t kernel_number;     /* see struct tally_profile */
};

/* An event's sums over all samples, and over those that passed the filter. */
struct tally_profile_total {
	uint64_t nr, period;
	uint64_t nr_shown, period_shown;
	uint64_t first, last; /* times of samples that passed; 0 if they have no times */
};

struct tally_profile_stats {
	uint64_t chains;     /* samples with a callchain */
	uint64_t cut_chains; /* chains truncated at max_stack */
	uint64_t leaf_only;  /* user chains that consist of a single frame */
	uint64_t bad_chains; /* chains dropped because of an unknown context marker */
	/* Samples for which callers were looked up. If there is a second pass, only its samples are
	 * counted. */
	uint64_t judged; /* chains that were validated */
	uint64_t astray; /* chains that were broken and truncated at that point */
};

struct tally_profile {
	struct tally_machine *machine;
	struct tally_profile_options options;
	/* Used to add samples. If there is a thread, it uses only the members below `apart`, so
	 * that the two do not write to the same cache line. */
	struct tally_batch *gathering; /* samples being added */
	struct tally_batch *own_batch; /* for adding and resolving in the same thread */
	struct profile_thread *thread; /* resolves samples; or NULL */
	struct tally_maps *kernel;     /* the kernel's maps for the samples being added */
	uint64_t generation;           /* generation of the symbols for these samples */
	/* Number that identifies the maps in `kernel` and the symbols' generation. Cached results
	 * with any other number are stale. */
	uint32_t kernel_number;
	bool has_unnamed; /* there are buckets for unnamed threads */
	bool in_second_pass;
	TALLY_VEC(uint64_t)
	wanted; /* second pass: bitmap of samples in marked buckets, by number */
	char apart[TALLY_CACHE_LINE];
	struct tally_batch *batch; /* samples being resolved */
	struct tally_frames frames;
	struct tally_stacks stacks;
	TALLY_VEC(struct tally_bucket) buckets;
	struct tally_slots slots;                     /* index of the buckets */
	struct tally_address *addresses;              /* direct-mapped */
	struct tally_callers *callers;                /* direct-mapped */
	size_t address_slots, callers_slots;          /* powers of two */
	uint64_t nr_missed;                           /* misses in these caches */
	TALLY_VEC(struct tally_profile_total) totals; /* indexed by event, up to the highest seen */
	TALLY_VEC(uint8_t) frame_verdicts;            /* cached results of the filter */
	TALLY_VEC(struct tally_kept) kept;            /* samples in the order they were added */
	struct tally_map heavy; /* weights of the heaviest samples, by index in `kept` */
	struct tally_profile_stats stats;
	struct tally_profile_names *names; /* see short_names.h */
	/* Used only with a second pass. */
	TALLY_VEC(uint32_t) bucket_of; /* bucket of each sample number, or TALLY_BUCKET_NONE */
	TALLY_VEC(uint8_t) marked;     /* indexed by bucket: nonzero if its callchains are needed */
	bool in_callers;               /* callers are being looked up */
	size_t nr_dropped;             /* buckets dropped since the last garbage collection */
	size_t nr_dsos;                /* number of DSOs after the last garbage collection */
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
 * machine has been restarted (tally_machine_restart()). Samples of marked buckets are now also
 * distinguished by path. Other samples were already counted; they are skipped, and need not be
 * added. This avoids looking up the callers of most samples, because most rows are too light for a
 * graph. Returns 1 and a bitmap of the samples needed (see tally_perfdata_select()); 0 if no bucket
 * is marked, so that no second pass is needed; or -ENOMEM. The bitmap is valid until
 * tally_profile_finish(), and is NULL if all samples must be added. */
int tally_profile_second_pass(struct tally_profile *profile, const uint64_t **ret_wanted,
			      uint64_t *ret_nr);

/* Count the samples that are still in the batch. Call this before reading totals, buckets or
 * stacks. Unless the profile is live, no more samples may be added, and all data needed only for
 * adding samples is freed. Returns 0 or -ENOMEM. */
int tally_profile_finish(struct tally_profile *profile);

/* Decay all counts in a live profile. Seven eighths of each bucket and total remain, and buckets
 * that amount to less than about a millionth of their event's total are dropped. Returns 0 or
 * -ENOMEM. */
int tally_profile_decay(struct tally_profile *profile);

/* Reset all counts. */
void tally_profile_zero(struct tally_profile *profile);

/* Free a live profile's unused memory, if there is a lot of it: frames, stacks and names that no
 * bucket refers to, threads marked by tally_machine_expire(), and unmapped files. Frames, stacks,
 * comms and threads are renumbered. `nr_gone` is the return value of tally_machine_expire().
 * Returns 0 or -ENOMEM. */
int tally_profile_collect(struct tally_profile *profile, size_t nr_gone);

/* Renumber the labels of a finished profile's buckets: label N becomes labels[N] - 1. Returns 0 or
 * -ENOMEM. */
int tally_profile_relabel(struct tally_profile *profile, const uint32_t *labels);

/* Add a sample. sample->number identifies it in the second pass. Returns 0 or -ENOMEM. */
int tally_profile_add(struct tally_profile *profile, const struct tally_feed_sample *sample);

#endif
