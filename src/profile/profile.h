/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples summed up. Each sample falls into a bucket by what is asked to tell apart - event,
 * comm, thread, CPU, function, call path - and a bucket keeps the number of samples and the
 * sum of their periods. Memory grows with what differs, not with the number of samples.
 */
#ifndef TALLY_PROFILE_PROFILE_H
#define TALLY_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/map.h"
#include "base/vec.h"
#include "profile/callers.h"
#include "profile/frames.h"
#include "profile/machine.h"
#include "profile/stacks.h"

#define TALLY_BUCKET_NONE UINT32_MAX

/* What tells buckets apart. */
enum {
	TALLY_BY_COMM = 1 << 0,
	TALLY_BY_THREAD = 1 << 1,
	TALLY_BY_CPU = 1 << 2,
	TALLY_BY_FRAME = 1 << 3,
	TALLY_BY_PATH = 1 << 4,
	TALLY_BY_LABEL = 1 << 5,
};

/* Samples that pass must match one string of every list that is not empty. */
struct tally_profile_filter {
	const char *const *comms, *const *dsos, *const *symbols; /* NULL-terminated, or NULL */
	const char *symbol_part; /* substring of the innermost symbol's name; NULL: any */
	const char *const *idle; /* functions of the kernel that pass nothing; or NULL */
};

/* What is wanted of the lines of addresses. */
enum {
	TALLY_LINES_INLINED = 1 << 0, /* inlined functions are frames of callchains */
	TALLY_LINES_ALL = 1 << 1,     /* frames of different lines are different frames */
};

struct tally_profile_options {
	unsigned by;        /* TALLY_BY_* */
	unsigned lines;     /* TALLY_LINES_*; not of a live profile */
	uint32_t max_stack; /* frames of a callchain taken; 0: 127, perf's limit */
	bool is_live; /* rows are made while samples still come; little memory to look things up */
	bool second_pass;   /* samples come twice: see tally_profile_second_pass(); not with
			       TALLY_BY_PATH */
	bool keeps_samples; /* when each sample was and its bucket stay known: `kept`; not of a live
			       profile */
	struct tally_profile_filter filter; /* strings must outlive the profile */
};

struct tally_bucket_key {
	uint32_t event, comm, thread, cpu, frame; /* 0 where not told apart */
	uint32_t leaf; /* with paths: the innermost frame of the callchain, + 1; 0: there is none */
	uint32_t callers; /* the stack of its callers */
	uint32_t label;
};

/* The innermost frame: of the callchain if there is one. */
static inline uint32_t tally_bucket_leaf(const struct tally_bucket_key *key)
{
	return key->leaf ? key->leaf - 1 : key->frame;
}

struct tally_bucket {
	struct tally_bucket_key key;
	uint64_t nr, period;
};

/* A sample that is kept: when it was, what it counts for, and its bucket. */
struct tally_kept {
	uint64_t time; /* 0: not recorded */
	uint32_t bucket;
	uint32_t weight; /* UINT32_MAX: it is among profile->heavy, see tally_kept_weight() */
	uint32_t number; /* as it was added with, by which it may be read again; UINT32_MAX: more
			  * than that */
} __attribute__((packed, aligned(4)));

enum { TALLY_BATCH = 32 };

/* What an address on a stack was found to be. */
enum tally_caller {
	TALLY_CALLER_UNKNOWN, /* not judged */
	TALLY_CALLER_TRUE,    /* a return can lead there */
	TALLY_CALLER_ASTRAY,  /* it is no caller: its frame is TALLY_CUT */
};

/* An address that was looked up lately, by its location key. */
struct tally_address {
	uint64_t location_key;
	uint32_t frame : 30;    /* + 1; 0: empty */
	uint32_t caller : 2;    /* enum tally_caller */
	uint32_t kernel : 31;   /* the kernel's maps that were there then, see struct tally_batch */
	uint32_t is_caller : 1; /* it was on a stack */
};

/* See chain.c. */
struct tally_callers_hash {
	uint64_t mix, sum;
};

/* Callers that were looked up lately, by their hash. */
struct tally_callers {
	uint64_t mix;
	uint32_t sum : 31;
	uint32_t is_astray : 1;
	uint32_t stack; /* 0: empty */
};

/* A sample as it came. Its location keys are those of its address, its chain's innermost one, the
 * callers.
 */
struct tally_gathered {
	struct tally_bucket_key key; /* at first without what the keys stand for */
	uint32_t key_hash;           /* when it is whole */
	uint32_t comm;
	uint64_t weight, time;
	uint64_t number;
	uint32_t first, callers, end; /* in the batch's location keys */
	uint32_t returns;             /* the same: from here on they are where calls return to */
	bool has_chain, has_leaf;
	bool is_bad, is_cut, leaf_only;
	enum tally_callers_from callers_from;
	/* Found while the batch is resolved. */
	bool has_callers;
	bool passes;    /* the filter */
	bool is_astray; /* the callers end where they went astray */
	bool is_new;    /* the callers are not remembered, so what follows is set: */
	uint32_t frames, nr_frames, frames_hash; /* of the batch's frames */
	struct tally_callers_hash hash; /* of the callers' location keys, if there are any */
};

struct tally_batch {
	struct tally_gathered samples[TALLY_BATCH];
	size_t nr;
	TALLY_VEC(uint64_t) location_keys;
	TALLY_VEC(uint32_t) frames; /* of callers that are new */
	struct tally_maps *kernel;  /* by which they are resolved */
	uint32_t kernel_number;     /* of these maps, and of what symbols tell: what was found by
				     * others is not so any more */
	uint64_t generation;        /* of the symbols */
};

/* Sums of one event over all samples, and over those that passed the filter. */
struct tally_profile_total {
	uint64_t nr, period;
	uint64_t nr_shown, period_shown;
};

struct tally_profile_stats {
	uint64_t chains;     /* samples with a callchain */
	uint64_t cut_chains; /* chains cut at max_stack */
	uint64_t leaf_only;  /* user chains that end after their first frame */
	uint64_t bad_chains; /* dropped: a context marker that is not known */
	/* Of samples whose callers were looked up, with a second pass in that one: */
	uint64_t judged; /* chains that may go astray */
	uint64_t astray; /* those that do, and end there */
};

struct tally_profile {
	struct tally_machine *machine;
	struct tally_profile_options options;
	struct tally_frames frames;
	struct tally_stacks stacks;
	TALLY_VEC(struct tally_bucket) buckets;
	struct tally_slots slots; /* of buckets */
	/* Of the samples that are added next: */
	uint32_t label; /* a number of the caller's own */
	enum tally_callers_from callers_from;
	struct tally_batch batch;
	struct tally_address *addresses;              /* direct-mapped */
	struct tally_callers *callers;                /* the same */
	size_t address_slots, callers_slots;          /* powers of two */
	uint64_t nr_missed;                           /* look-ups that found nothing in these */
	TALLY_VEC(struct tally_profile_total) totals; /* by event, as far as samples came */
	TALLY_VEC(uint8_t) frame_verdicts;            /* memo of the filter */
	TALLY_VEC(struct tally_kept) kept;            /* samples in their order, if wanted, */
	struct tally_map heavy; /* and what the heaviest weigh, by their place in it */
	struct tally_profile_stats stats;
	/* With a second pass. */
	TALLY_VEC(uint32_t) bucket_of; /* by number of the sample, TALLY_BUCKET_NONE for none */
	TALLY_VEC(uint8_t) marked;     /* buckets, by number, whose callchains are wanted */
	TALLY_VEC(uint64_t) wanted;    /* bits of samples, by number, in these buckets */
	bool in_second_pass;
	bool in_callers;   /* callers are being looked up */
	bool has_unnamed;  /* buckets of threads without a name */
	size_t nr_dropped; /* buckets that died since the last sweep */
	size_t nr_dsos;    /* left by the last sweep */
};

/* What a sample that was kept counts for. */
static inline uint64_t tally_kept_weight(const struct tally_profile *profile,
					 const struct tally_kept *kept)
{
	if (kept->weight < UINT32_MAX)
		return kept->weight;
	return tally_map_get(&profile->heavy, (uint64_t)(kept - profile->kept.data));
}

/* `machine` must outlive the profile. 0 or -ENOMEM. */
int tally_profile_init(struct tally_profile *profile, struct tally_machine *machine,
		       const struct tally_profile_options *options);
void tally_profile_free(struct tally_profile *profile);

/* Count what is still under way. 0 or -ENOMEM. */
int tally_profile_settle(struct tally_profile *profile);

/* Begin the second pass of a profile that has one: the same samples are added again, with the
 * machine begun anew (tally_machine_restart()). This time those of marked buckets are told apart by
 * path as well, and the others passed over, as they have been counted; they need not come. Most
 * rows are too light for a graph, and their samples, most of all, need no look at their callers:
 * this is why. 1, and which ones are wanted as for tally_perfdata_want(), valid until
 * tally_profile_finish(), NULL if all must come; 0 if no bucket is marked, and no second pass is
 * needed; or -ENOMEM. */
int tally_profile_second_pass(struct tally_profile *profile, const uint64_t **ret_wanted,
			      uint64_t *ret_nr);

/* Count what is still under way, before totals, buckets and stacks are looked at. Unless the
 * profile is live no more samples come: what only adding needs is freed. 0 or -ENOMEM. */
int tally_profile_finish(struct tally_profile *profile);

/* Let what was counted fade: of each bucket and total seven eighths are left, and buckets fall out
 * that are less than a millionth of their event then. Of a live profile. 0 or -ENOMEM. */
int tally_profile_decay(struct tally_profile *profile);

/* Forget all that was counted. */
void tally_profile_zero(struct tally_profile *profile);

/* Give memory back, if much is not needed any more: the frames, stacks and names that no bucket
 * has, and of the machine what tally_machine_expire() found and files that are mapped nowhere.
 * Frames, stacks, comms and threads have other numbers then. `nr_gone` is what
 * tally_machine_expire() said. Of a live profile. 0 or -ENOMEM. */
int tally_profile_sweep(struct tally_profile *profile, size_t nr_gone);

/* Add one sample of event number `event`: `cpumode` is the record's, `weight` what it counts
 * for (its period); `number` says which one it is when it comes again. 0 or -ENOMEM. */
int tally_profile_add(struct tally_profile *profile, uint32_t event,
		      const struct tally_thread *thread, uint8_t cpumode,
		      const struct tally_sample *sample, uint64_t weight, uint64_t number);

#endif
